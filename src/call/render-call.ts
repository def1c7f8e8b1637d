// Prints the outcome of a call: its text for people, its envelope for programs, and the exit code.
import type { GlobalArgs, Io } from '../cli/command.ts'
import { describe, renderFailure } from '../cli/failure.ts'
import { planLines } from '../cli/render/plan.ts'
import { note, report } from '../cli/render/report.ts'
import { createStyle, type Style, wantsColor } from '../cli/render/style.ts'
import type { Envelope, Failure, Success } from '../contract/envelope.ts'
import { RlpError } from '../model/error.ts'
import { EXIT, type ExitCode } from '../model/exit-code.ts'
import { own } from '../model/own.ts'
import type { Enforced } from '../model/sandbox.ts'
import { jsonLine } from '../report/json.ts'
import { printable, printableJson, quoted } from '../text/printable.ts'
import type { CallRecord } from './context.ts'
import { type PreparedCall, plannedCall, type RefusedCall } from './prepare-call.ts'

/** A failure of rlp's own. With `--json` it is the envelope of the call, which names the tool and not the command. */
export function printNotCalled(
  failure: Failure,
  args: GlobalArgs,
  io: Io,
  enforced?: Enforced | undefined,
): ExitCode {
  if (args.json) printJson({ ...failure, ...(enforced && { enforced }) }, io)
  else io.stderr(failureText(failure, stderrStyle(args, io)))
  if (failure['reason'] === 'nobody_to_ask')
    note(io, args, 'Run it on a terminal, where you are asked; --yes says yes beforehand')
  // A person declined: the tool is not at fault.
  return failure['reason'] === 'declined' ? EXIT.user : EXIT.bundle
}

/** A tool's text is shown as quoted: it decides nothing here, and none of its lines can look like one of rlp's. */
export function printRecord(record: CallRecord, args: GlobalArgs, io: Io): ExitCode {
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
export function printLost(error: Error, args: GlobalArgs, io: Io): ExitCode {
  const lost =
    error instanceof RlpError
      ? new RlpError('IO', `Cannot record the call, which has happened: ${error.message}`, { cause: error })
      : error
  const description = describe(lost, undefined)
  io.stderr(renderFailure(description, { style: stderrStyle(args, io), columns: undefined, see: undefined }))
  return description.exit
}

function printResult(envelope: Success, { notes, enforced }: CallRecord, args: GlobalArgs, io: Io): ExitCode {
  if (args.json) printJson({ ...envelope, ...(enforced && { enforced }) }, io)
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
  if (args.json) printJson({ ...failure, ...(enforced && { enforced }) }, io)
  else {
    io.stderr(quotedText(failureText(failure, style), style))
    // A failure has no place for warnings, so rlp's own are printed beside it.
    for (const note of args.quiet ? [] : notes) io.stderr(warningText(note, style))
  }
  return EXIT.bundle
}

function printJson(envelope: Envelope & { readonly enforced?: Enforced }, io: Io): void {
  io.stdout(jsonLine(envelope))
}

/** A dry run: no side effect happened, and no secret was looked up. */
export function printPrepared(prepared: PreparedCall | RefusedCall, args: GlobalArgs, io: Io): ExitCode {
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
