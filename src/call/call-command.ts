// rlp tool call: calls a tool of a verified bundle, and shows its answer.
import { resolve } from 'node:path'
import { readReference } from '../agent/agent-name.ts'
import { type CommandArgs, defineCommand, type GlobalArgs, type Io } from '../cli/command.ts'
import { describe, renderFailure } from '../cli/failure.ts'
import { type OpenPrompter, openTerminal } from '../cli/interactive.ts'
import type { OptionTable } from '../cli/option.ts'
import { note, report, warn } from '../cli/render/report.ts'
import { createStyle, type Style, wantsColor } from '../cli/render/style.ts'
import { type Envelope, type Failure, type Success, unknownTool } from '../contract/envelope.ts'
import { kindAt } from '../io/find/search-folders.ts'
import { findInstalled } from '../io/root/find-installed.ts'
import type { Root } from '../io/root/root-places.ts'
import { rootsFor } from '../io/root/roots.ts'
import { RlpError, UsageError } from '../model/error.ts'
import { EXIT, type ExitCode } from '../model/exit-code.ts'
import { own } from '../model/own.ts'
import type { Enforced } from '../model/sandbox.ts'
import { isOciReference } from '../oci/scheme.ts'
import { jsonLine } from '../report/json.ts'
import { printable, printableJson, quoted } from '../text/printable.ts'
import { writePath, writeWords } from '../text/shell-words.ts'
import { refuseBundle } from '../verify/render.ts'
import { confirmOn } from './ask-confirm.ts'
import { planLines } from './ask-pages.ts'
import { asksForConfirmation } from './confirmation.ts'
import type { CallRecord } from './context.ts'
import { type Opened, openAgents } from './open-agent.ts'
import { CALL_OPTIONS, OPEN_OPTIONS, openOptionsOf, readArguments, sandboxFor } from './options.ts'
import { type PreparedCall, plannedCall, prepareCall, type RefusedCall } from './prepare-call.ts'
import { callIn } from './session.ts'
import { openSession } from './session-inputs.ts'

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

/** @throws UsageError if the first word names a bundle, and the second names none */
async function refuseSwapped({ id, target: tool }: Args, roots: readonly Root[], { cwd }: Io): Promise<void> {
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

/** A failure of rlp's own. With `--json` it is the envelope of the call, which names the tool and not the command. */
function printNotCalled(failure: Failure, args: GlobalArgs, io: Io, enforced?: Enforced): ExitCode {
  if (args.json) printJson(failure, enforced, io)
  else io.stderr(failureText(failure, stderrStyle(args, io)))
  if (failure['reason'] === 'nobody_to_ask')
    note(io, args, 'Run it on a terminal, where you are asked; --yes says yes beforehand')
  // A person declined: the tool is not at fault.
  return failure['reason'] === 'declined' ? EXIT.user : EXIT.bundle
}

/** A tool's text is shown as quoted: it decides nothing here, and none of its lines can look like one of rlp's. */
function printRecord(record: CallRecord, args: GlobalArgs, io: Io): ExitCode {
  const { envelope, by, remarks } = record
  const style = stderrStyle(args, io)
  const isSaid = !envelope.ok && remarks?.trim() === envelope.message.trim()
  if (remarks !== undefined && !isSaid && !args.json && !args.quiet) io.stderr(remarksText(remarks, style))
  const exit = envelope.ok
    ? printResult(envelope, record, args, io)
    : by === 'rlp'
      ? printNotCalled(envelope, args, io, record.enforced)
      : printFailure(envelope, record, args, io)
  return io.signal.aborted ? EXIT.user : exit
}

/** The tool has run and its answer is printed. So this goes to standard error even with `--json`, which promises one envelope. */
function printLost(error: Error, args: GlobalArgs, io: Io): ExitCode {
  const lost =
    error instanceof RlpError
      ? new RlpError('IO', `Cannot record the call, which has happened: ${error.message}`, { cause: error })
      : error
  const description = describe(lost, undefined)
  io.stderr(renderFailure(description, { style: stderrStyle(args, io), columns: undefined, see: undefined }))
  return description.exit
}

function printResult(envelope: Success, { notes, enforced }: CallRecord, args: GlobalArgs, io: Io): ExitCode {
  if (args.json) printJson(envelope, enforced, io)
  else {
    const style = stderrStyle(args, io)
    const own = new Set(notes)
    for (const warning of args.quiet ? [] : (envelope.warnings ?? []))
      io.stderr(
        own.has(warning) ? warningText(warning, style) : quotedText(warningText(warning, style), style),
      )
    io.stdout(resultText(envelope.result))
  }
  return EXIT.ok
}

function printFailure(failure: Failure, { notes, enforced }: CallRecord, args: GlobalArgs, io: Io): ExitCode {
  const style = stderrStyle(args, io)
  if (args.json) printJson(failure, enforced, io)
  else {
    io.stderr(quotedText(failureText(failure, style), style))
    // A failure has no place for warnings, so rlp's own are printed beside it.
    for (const note of args.quiet ? [] : notes) io.stderr(warningText(note, style))
  }
  return EXIT.bundle
}

function printJson(envelope: Envelope, enforced: Enforced | undefined, io: Io): void {
  io.stdout(jsonLine({ ...envelope, ...(enforced && { enforced }) }))
}

/** A dry run: no side effect happened, and no secret was looked up. */
function printPrepared(prepared: PreparedCall | RefusedCall, args: GlobalArgs, io: Io): ExitCode {
  if ('failure' in prepared) return printNotCalled(prepared.failure, args, io)
  const { plan, warnings } = prepared
  const result = plannedCall(prepared)
  report(io, args, {
    tool: 'tool.call',
    result,
    warnings,
    text: () =>
      planLines(plan)
        .map(line => `${line}\n`)
        .join(''),
  })
  note(
    io,
    args,
    result.requiresConfirmation ? 'nothing was run; a person will be asked before it is' : 'nothing was run',
  )
  return EXIT.ok
}

function stderrStyle({ color }: GlobalArgs, io: Io) {
  return createStyle(wantsColor(color, io.env, io.isTTY.stderr))
}

const TOOL_SAYS = 'tool │'
/** A little more than is kept of an answer, as characters that are not seen are longer when they are written. */
const MAX_ANSWERED = 2000

/** A tool's answer: a text line by line, anything else as JSON. */
function resultText(result: unknown): string {
  const text = onlyText(result)
  if (text === undefined)
    return `${JSON.stringify(result, null, 2).split('\n').map(printableJson).join('\n')}\n`
  const lines = text.replace(/\r?\n$/, '').split(/\r?\n/)
  // Tabs are kept for tables; every other control character is removed.
  return `${lines
    .map(line =>
      line
        .split('\t')
        .map(part => printable(part, Number.POSITIVE_INFINITY))
        .join('\t'),
    )
    .join('\n')}\n`
}

function onlyText(result: unknown): string | undefined {
  if (typeof result === 'string') return result
  if (typeof result !== 'object' || result === null || Object.keys(result).join() !== 'text') return undefined
  const text: unknown = Reflect.get(result, 'text')
  return typeof text === 'string' ? text : undefined
}

/** The lines for standard error. */
function failureText(failure: Failure, style: Style): string {
  const { kind, message, field, expected, retryable, hint, tool } = failure
  // The tool’s own words, marked as such.
  const answered = own(failure, 'answered')
  const facts: readonly (readonly [string, unknown])[] = [
    ['field', field],
    ['expected', expected],
    ['hint', hint],
  ]
  // The sentence of the contract is for a model in a session.
  const said =
    kind === 'tool_not_found' ? `There is no tool ${quoted(tool ?? '')} that may be called` : message.trim()
  const [first = '', ...more] = said.split(/\r?\n/)
  // The same call with the same arguments is refused again: a model may send others. A program that failed has said why.
  const again =
    retryable && kind !== 'invalid_args' && kind !== 'execution_error'
      ? style.dim(' (trying again may help)')
      : ''
  const lines = [
    `${style.red(style.bold(kind))}: ${printable(first)}${again}`,
    ...more.map(line => `  ${printable(line)}`),
    ...(typeof answered === 'string' ? [`${style.dim(TOOL_SAYS)} ${printable(answered, MAX_ANSWERED)}`] : []),
    ...facts.flatMap(([label, value]) =>
      typeof value === 'string' ? [`${style.cyan(`${label}:`)} ${printable(value)}`] : [],
    ),
  ]
  return `${lines.join('\n')}\n`
}

function warningText(warning: string, style: Style): string {
  return `${style.yellow('warning:')} ${printable(warning)}\n`
}

/** Lines of a tool, marked apart from those of rlp. */
function quotedText(lines: string, style: Style): string {
  return lines.replace(/^(?=.)/gm, `${style.dim(TOOL_SAYS)} `)
}

/** A program's standard error, marked apart from the output of rlp. */
function remarksText(remarks: string, style: Style): string {
  const lines = remarks.replace(/\r?\n$/, '').split(/\r?\n/)
  return lines.map(line => `${style.dim('stderr │')} ${printable(line)}\n`).join('')
}
