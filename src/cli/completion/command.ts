// rlp completion: prints the script with which a shell asks `rlp __complete` at a Tab.
import { basename } from 'node:path'
import { UsageError } from '../../model/error.ts'
import { EXIT } from '../../model/exit-code.ts'
import { own } from '../../model/own.ts'
import { quoted } from '../../text/printable.ts'
import { defineCommand } from '../command.ts'
import { report } from '../render/report.ts'
import { SHELLS } from './shells.ts'

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
    const shell = args.shell ?? basename(io.env['SHELL'] ?? '')
    const script = own(SHELLS, shell)
    if (script === undefined) throw noShell(io.env['SHELL'])
    report(io, args, { tool: 'completion', result: { shell, script }, text: () => script, isDocument: true })
    return EXIT.ok
  },
})

function noShell(path: string | undefined): UsageError {
  const seen = path ? `$SHELL is ${quoted(path)}` : '$SHELL is not set'
  return new UsageError(`Cannot choose a shell: ${seen}`, {
    field: 'shell',
    expected: `one of ${Object.keys(SHELLS).join(', ')}`,
    hint: 'Name one: rlp completion bash',
  })
}
