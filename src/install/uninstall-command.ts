// rlp agent uninstall: removes an installed bundle and its folder. Its high-water mark stays.
import { type CommandArgs, defineCommand, type Io } from '../cli/command.ts'
import { mayAsk, type OpenPrompter, openTerminal } from '../cli/interactive.ts'
import type { OptionTable, Positional } from '../cli/option.ts'
import { report } from '../cli/render/report.ts'
import { createStyle, SYMBOLS } from '../cli/render/style.ts'
import { YES_NO } from '../cli/wizard/question.ts'
import { printable, quoted } from '../format/text/printable.ts'
import { readReference, referenceText } from '../format/version/reference.ts'
import { inRoot, isDisturbed, look } from '../io/root/install-root.ts'
import { checkRoot } from '../io/root/own-folder.ts'
import { bundlePath, folderPath, type Root } from '../io/root/root-places.ts'
import { rootFor } from '../io/root/roots.ts'
import { tidyState, updateState } from '../io/state/change-state.ts'
import { readState } from '../io/state/state.ts'
import { RlpError } from '../model/error.ts'
import { EXIT, type ExitCode } from '../model/exit-code.ts'
import { UsageError } from '../model/usage-error.ts'
import { ROOT_OPTION } from '../verify/judging-options.ts'
import { memoryOf } from './memory.ts'
import { forget, hasFolder, installIn, withdraw } from './record.ts'
import { recover } from './recover.ts'
import { removeBundle } from './remove-bundle.ts'

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

export type UninstallArgs = CommandArgs<typeof OPTIONS, readonly [typeof AGENT]>

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
  const reference = readReference(args.name)
  if (reference === undefined)
    throw new UsageError(`Cannot uninstall ${quoted(args.name)}: it is not name or name@variant`, {
      field: 'name',
      hint: 'rlp agent list shows the names',
    })
  const agent = referenceText(reference)
  const root = await rootFor(args.root, io.cwd)
  const isThere = checkRoot(root)
  // Clears away the traces of an interrupted run too, if there is nothing else to do.
  if (isThere && (await isDisturbed(root)) && (await isAbsent(root, agent))) {
    await inRoot(root, `uninstall ${agent}`, () => recover(root, memoryOf(root, agent)), io.signal)
    await tidyState(agent)
  }
  await refuseAbsent(root, agent)
  await confirm(agent, root, args, io, open)
  const folder = await inRoot(root, `uninstall ${agent}`, () => remove(root, agent), io.signal)
  report(io, args, {
    tool: 'agent.uninstall',
    result: { agent, bundle: bundlePath(root, agent), folder },
    text: () => `${createStyle(io.color).green(SYMBOLS.ok)} ${agent} removed from ${printable(root.label)}\n`,
  })
  return EXIT.ok
}

/** @returns the folder that was removed with it */
async function remove(root: Root, agent: string): Promise<string | null> {
  await recover(root, memoryOf(root, agent))
  await refuseAbsent(root, agent)
  const { folder } = await look(root, agent, hasFolder(await readState(agent), root.path))
  const isDerived = folder === 'derived'
  await removeBundle(root, {
    agent,
    hasFolder: isDerived,
    forget: async () => {
      await updateState(agent, state => forget(withdraw(state, root.path), root.path))
    },
  })
  return isDerived ? folderPath(root, agent) : null
}

/** An unpacked folder without its file is removed too, and so is the record of a file that is gone. */
async function isAbsent(root: Root, agent: string): Promise<boolean> {
  const { file, folder } = await look(root, agent, false)
  const isRemembered = installIn(await readState(agent), root.path) !== undefined
  return file === 'nothing' && folder !== 'derived' && !isRemembered
}

async function refuseAbsent(root: Root, agent: string): Promise<void> {
  if (!(await isAbsent(root, agent))) return
  const { folder } = await look(root, agent, false)
  const seen = folder === 'nothing' ? 'it is not there' : 'the folder there was not installed by rlp'
  throw new RlpError('NOT_FOUND', `Cannot uninstall ${agent} from "${root.label}": ${seen}`, {
    hint:
      folder === 'nothing'
        ? 'rlp agent list shows what is installed where; name another root with --root'
        : 'Remove the folder by hand',
  })
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
  if ((await prompter.choose({ message, choices: YES_NO, fallback: 'no' })) === 'yes') return
  throw new RlpError(
    'CANCELLED',
    `Cannot ${doing}: the question was answered with no, and nothing was removed`,
  )
}
