// rlp completion: prints a script that teaches a shell the commands, options and values.
import { basename } from 'node:path'
import { UsageError } from '../../model/error.ts'
import { EXIT } from '../../model/exit-code.ts'
import { quoted } from '../../text/printable.ts'
import { defineCommand } from '../command.ts'
import { REGISTRY } from '../commands.ts'
import { report } from '../render/report.ts'
import { SHELLS, type Shell } from './index.ts'
import { readNodes } from './model.ts'

export const command = defineCommand({
  name: 'completion',
  summary: 'print a completion script for bash, zsh or fish',
  positionals: [
    { name: 'shell', describe: 'the shell; the one in $SHELL if left out', choices: ['bash', 'zsh', 'fish'] },
  ],
  options: {},
  examples: [
    ['source <(rlp completion bash)', 'Completion in this bash; put it into ~/.bashrc to keep it'],
    ['rlp completion zsh > "$fpath[1]/_rlp"', 'Completion in every zsh'],
    ['rlp completion fish > ~/.config/fish/completions/rlp.fish', 'Completion in every fish'],
  ],
  async run(args, io) {
    const shell = args.shell ?? shellOf(io.env['SHELL'])
    const script = SHELLS[shell](await readNodes(REGISTRY))
    report(io, args, { tool: 'completion', result: { shell, script }, text: () => script, isDocument: true })
    return EXIT.ok
  },
})

function shellOf(path: string | undefined): Shell {
  const name = basename(path ?? '')
  if (isShell(name)) return name
  const seen = path ? `$SHELL is ${quoted(path)}` : '$SHELL is not set'
  throw new UsageError(`Cannot choose a shell: ${seen}`, {
    field: 'shell',
    expected: `one of ${Object.keys(SHELLS).join(', ')}`,
    hint: 'Name one: rlp completion bash',
  })
}

function isShell(name: string): name is Shell {
  return Object.hasOwn(SHELLS, name)
}
