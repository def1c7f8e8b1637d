// rlp agent uninstall: removes an installed bundle and its folder. Its high-water mark stays.
import { type CommandArgs, defineCommand, type Io } from '../cli/command.ts'
import { askForYes, mayAsk, type OpenPrompter, openTerminal } from '../cli/interactive.ts'
import type { OptionTable, Positional } from '../cli/option.ts'
import { report } from '../cli/render/report.ts'
import { createStyle, SYMBOLS } from '../cli/render/style.ts'
import type { Root } from '../io/root/root-places.ts'
import { rootFor } from '../io/root/roots.ts'
import { RlpError } from '../model/error.ts'
import { EXIT, type ExitCode } from '../model/exit-code.ts'
import { printable } from '../text/printable.ts'
import { ROOT_OPTION } from '../verify/judging-options.ts'
import { agentNamed, uninstall } from './uninstall.ts'

const OPTIONS = {
  root: ROOT_OPTION,
  yes: { type: 'boolean', alias: 'y', describe: 'without being asked' },
} as const satisfies OptionTable

const AGENT = {
  name: 'name',
  required: true,
  describe: 'name or name@variant',
  complete: 'none',
} as const satisfies Positional

type UninstallArgs = CommandArgs<typeof OPTIONS, readonly [typeof AGENT]>

export const command = defineCommand({
  name: 'agent uninstall',
  summary: 'remove an installed agent',
  positionals: [AGENT],
  options: OPTIONS,
  examples: [
    ['rlp agent uninstall mailer', 'asks first'],
    ['rlp agent uninstall mailer@pro --root /srv/agents --yes', 'in a pipeline'],
  ],
  notes:
    'Which version was trusted here, and who signed it, stays known: an older one is refused as before. rlp trust reset forgets that.',
  run: (args, io) => runUninstall(args, io, openTerminal),
})

/** @param open asks a person, if there is one */
export async function runUninstall(args: UninstallArgs, io: Io, open: OpenPrompter): Promise<ExitCode> {
  const agent = agentNamed(args.name)
  const root = await rootFor(args.root, io.cwd)
  const result = await uninstall(agent, {
    root,
    signal: io.signal,
    beforeRemoving: () => confirm(agent, root, args, io, open),
  })
  report(io, args, {
    tool: 'agent.uninstall',
    result,
    quiet: [agent],
    text: () => `${createStyle(io.color).green(SYMBOLS.ok)} ${agent} removed from ${printable(root.label)}\n`,
  })
  return EXIT.ok
}

async function confirm(
  agent: string,
  root: Root,
  { json, yes }: UninstallArgs,
  io: Io,
  open: OpenPrompter,
): Promise<void> {
  const doing = `uninstall ${agent}`
  if (yes) return
  if (!mayAsk(io, { json, nonInteractive: false }))
    throw new RlpError('NEEDS_ANSWER', `Cannot ${doing}: no person can be asked`, { hint: 'Add --yes' })
  const prompter = await open(doing, io)
  const message = `Remove ${agent} from ${root.label}?`
  await askForYes(prompter, message, { doing, otherwise: 'nothing was removed' })
}
