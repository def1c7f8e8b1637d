// rlp tool call: one tool of a verified bundle, once.

import { resolve } from 'node:path'
import { readReference } from '../agent/agent-name.ts'
import { type CommandArgs, defineCommand, type Io } from '../cli/command.ts'
import { type OpenPrompter, openTerminal } from '../cli/interactive.ts'
import type { OptionTable } from '../cli/option.ts'
import { note, warn } from '../cli/render/report.ts'
import type { Failure } from '../contract/envelope.ts'
import { unknownTool } from '../contract/outcomes.ts'
import { kindAt } from '../io/find/search-folders.ts'
import { findInstalled } from '../io/root/find-installed.ts'
import type { Root } from '../io/root/root-places.ts'
import { rootsFor } from '../io/root/roots.ts'
import { UsageError } from '../model/error.ts'
import type { ExitCode } from '../model/exit-code.ts'
import { isOciReference } from '../oci/scheme.ts'
import { printable } from '../text/printable.ts'
import { writePath, writeWords } from '../text/shell-words.ts'
import { refuseBundle } from '../verify/render.ts'
import { confirmOn } from './ask-confirm.ts'
import { asksForConfirmation } from './confirmation.ts'
import { type Opened, openAgents } from './open-agent.ts'
import { CALL_OPTIONS, OPEN_OPTIONS, openOptionsOf, readArguments } from './options.ts'
import { prepareCall } from './prepare-call.ts'
import { printLost, printNotCalled, printPrepared, printRecord } from './render-call.ts'
import { callIn } from './session.ts'
import { openSession, sandboxFor } from './session-options.ts'

const OPTIONS = {
  args: {
    type: 'string',
    placeholder: 'JSON|@FILE|-',
    default: '{}',
    describe: 'the arguments: a JSON object, a file that holds one, or standard input',
  },
  'dry-run': { type: 'boolean', describe: 'run nothing and ask nothing: show what would be run' },
  ...CALL_OPTIONS,
  ...OPEN_OPTIONS,
} as const satisfies OptionTable

const POSITIONALS = [
  { name: 'id', required: true, describe: 'the tool’s id', complete: 'none' },
  {
    name: 'target',
    names: 'installed',
    describe:
      'a bundle, an unpacked bundle, or the name of an installed agent; without it, the installed agent that has the tool',
  },
] as const

type Args = CommandArgs<typeof OPTIONS, typeof POSITIONALS>

const DOING = { doing: 'call a tool of', tool: 'tool.call' }

export const command = defineCommand({
  name: 'tool call',
  summary: 'call a tool of a verified bundle',
  positionals: POSITIONALS,
  options: OPTIONS,
  stray: {
    option: (name, value = '…') =>
      `Arguments of a tool go into --args: --args ${writeWords([name === 'input' ? value : JSON.stringify({ [name]: value })])}`,
  },
  examples: [
    [
      'rlp tool call text.query mailer --args \'{"query":".id"}\'',
      'of the agent that is installed under this name',
    ],
    ['rlp tool call text.query dist/mailer-0.1.0.agent.bundle --args @in.json --json', 'for a program'],
    [
      'rlp tool call text.query agents/mailer --unverified --dry-run',
      'what a folder that you work in would run',
    ],
  ],
  notes:
    'Exit code 0: the tool answered. 1: it failed, or was not called, and the envelope says why; also where the bundle is not trusted. 130: interrupted, or declined. The steps, the environment of programs and where secrets come from: docs/running.md.',
  run: (args, io) => runCall(args, io, openTerminal),
})

/** @param open asks a person, if there is one */
export async function runCall(args: Args, io: Io, open: OpenPrompter): Promise<ExitCode> {
  const { id: tool } = args
  const text = await readArguments(args.args, io)
  const sandbox = await sandboxFor(args, io)
  const roots = await rootsFor(args.root, io.cwd)
  await refuseSwapped(args, roots, io)
  const opened = await openAgents(DOING.doing, args.target, roots, openOptionsOf(args, io), io)
  const chosen = args.target === undefined ? choose(tool, opened) : opened[0]
  if (chosen === undefined) return printNotCalled(unknownTool(tool), args, io)
  if (chosen.is === 'refused') return refuseBundle(chosen.report, DOING, args, io)
  if (args.unverified) warn(io, args, `${chosen.target.label} was not verified`)
  // A dry run is not recorded.
  const logs = args.dryRun ? { audit: undefined, trace: undefined } : {}
  const asks = await asksForConfirmation(args, io)
  const session = await openSession({ ...args, ...logs }, sandbox, io, confirmOn(io, { ...args, asks }, open))
  try {
    const context = session.contextFor(chosen)
    if (args.dryRun) return printPrepared(await prepareCall({ tool, text }, context), args, io)
    const { record, lost } = await callIn(session, context, { tool, text, signal: io.signal })
    const exit = printRecord(record, args, io)
    const advice = record.envelope.ok ? undefined : adviceFor(record.envelope, args)
    if (advice !== undefined) note(io, args, advice)
    return lost === undefined ? exit : printLost(lost, args, io)
  } finally {
    await session.close()
  }
}

/** How the call goes through on a command line, of which the contract knows nothing. */
function adviceFor({ kind, message, ...rest }: Failure, { id, args }: Args): string | undefined {
  if (kind === 'invalid_args' && message.startsWith('Missing required property') && args === '{}')
    return "arguments go into --args, a JSON object: --args '{…}'"
  if ('reason' in rest && rest['reason'] === 'no_idle_limit') return 'add --idle-timeout SECONDS'
  if (kind === 'invalid_args' && message.endsWith('Allowed: ')) return `${printable(id)} takes no arguments`
  if (kind === 'rejected' && 'by' in rest && rest['by'] === 'policy.caps')
    return `its author can grant it: rlp tool edit AGENT ${writeWords([id])} --grant`
  return undefined
}

/** The installed agent that has the tool, granted there or not. */
function choose(tool: string, opened: readonly Opened[]): Opened | undefined {
  const having = opened.filter(
    one => one.is === 'open' && [...one.agent.tools, ...one.agent.denied].some(({ id }) => id === tool),
  )
  if (having.length < 2) return having[0]
  const names = having.map(one => (one.is === 'open' ? one.target.label : one.report.target))
  throw new UsageError(`Cannot call "${tool}": ${having.length} installed agents have such a tool`, {
    field: 'target',
    hint: `Name one of them: ${names.slice(0, 5).join(', ')}`,
  })
}

interface Words {
  readonly id: string
  readonly target: string | undefined
}

/** @throws UsageError if the first word names a bundle, and the second names none */
async function refuseSwapped(
  { id, target: tool }: Words,
  roots: readonly Root[],
  { cwd }: { readonly cwd: string },
): Promise<void> {
  const isBundle = async (word: string) => {
    if (isOciReference(word) || kindAt(resolve(cwd, word)) !== undefined) return true
    const reference = readReference(word)
    return reference !== undefined && (await findInstalled(reference, roots)) !== undefined
  }
  if (tool === undefined || (await isBundle(tool)) || !(await isBundle(id))) return
  throw new UsageError(`Cannot call ${JSON.stringify(id)}: it is a bundle, and no tool`, {
    field: 'id',
    hint: `Name the tool first: rlp tool call ${writeWords([tool])} ${writePath(id)}`,
  })
}
