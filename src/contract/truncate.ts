// Shortens results that are too long for a model (docs/contract.md, "Too long").
import { type Envelope, type Failure, failure, type Success, serialize, success } from './envelope.ts'
import { type Fields, isFields, member } from './json-text.ts'
import type { TruncatedOutput } from './results.ts'
import { shown } from './say.ts'

/** Cap in code points for a tool's text, for its stderr, and for a whole answer before its envelope. */
export const MAX_TEXT_CHARS = 50_000
export const MAX_STDERR_CHARS = 10_000
export const MAX_RESULT_CHARS = 100_000

/** Share of the cap for the beginning. Less than half, because programs print errors at the end. */
const HEAD_SHARE = 0.4

/**
 * The same text up to the cap; else its first four tenths, a line that says how much is missing, and its end. The line comes on top of
 * the cap. Counts code points and never splits a surrogate pair.
 *
 * @param maxChars code points; at least 1
 *
 * @example
 * const stdout = 'line\n'.repeat(100_000)
 * textSuccess('shell_run', truncateForModel(stdout))
 */
export function truncateForModel(text: string, maxChars: number = MAX_TEXT_CHARS): string {
  return cutText(text, maxChars, HEAD_SHARE)
}

/** The same with another share of the cap for the beginning. */
function cutText(text: string, maxChars: number, headShare: number): string {
  // A text never has more code points than code units.
  if (text.length <= maxChars) return text
  const total = codePointsUpTo(text, text.length)
  if (total <= maxChars) return text
  const headChars = Math.floor(maxChars * headShare)
  const head = text.slice(0, unitsOf(text, headChars))
  const tail = text.slice(unitsOf(text, total - (maxChars - headChars)))
  const omitted = total - maxChars
  return `${head}\n\n... [output truncated — ${omitted} chars omitted out of ${total} total] ...\n\n${tail}`
}

/** Code points in the first `units` code units of a text. */
export function codePointsUpTo(text: string, units: number): number {
  let count = 0
  for (let at = 0; at < units; at++) {
    count++
    if (isPairAt(text, at)) at++
  }
  return count
}

/** Code units of the first `chars` code points. */
function unitsOf(text: string, chars: number): number {
  let at = 0
  for (let left = chars; left > 0; left--) at += isPairAt(text, at) ? 2 : 1
  return at
}

function isPairAt(text: string, at: number): boolean {
  const unit = text.charCodeAt(at)
  if (unit < 0xd800 || unit > 0xdbff) return false
  const next = text.charCodeAt(at + 1)
  return next >= 0xdc00 && next <= 0xdfff
}

/** A cut result keeps mostly its beginning, because that says what it is about. */
const HEAD_SHARE_OF_RESULT = 2 / 3
const LEAST_CHARS = 1
/** Code points for everything around a text: names, notes, and the line that says what was cut. */
const AROUND_CHARS = 6_000
/** Code units of the notes that a cut envelope keeps, all together. */
const MOST_NOTES = 500

const NOTICE =
  'Output exceeded the per-call cap and was truncated (head and tail kept). Re-run with narrower arguments — filters, `max_results`, line ranges, or head/tail options — to retrieve the missing region.'

export interface TruncateOptions {
  /** Code points of the answer's own text, without its envelope and without the line that says what was cut; at least 1. */
  readonly maxChars?: number
  /** Code points of the tool's answer, for `original_chars`; by default those of the text. */
  readonly originalChars?: number
}

/**
 * The same envelope if it fits; else one whose `result` is a {@link TruncatedOutput}, with one more warning.
 * A failure stays a failure: its kind, `retryable` and `field` are kept, and its text becomes `content`.
 *
 * The main text is counted, without escapes: a result that is one text, a failure's message, the rest of an
 * earlier cut. Any other result counts as its JSON.
 */
export function truncateResult(tool: string, envelope: Envelope, options: TruncateOptions = {}): Envelope {
  const most = Math.max(options.maxChars ?? MAX_RESULT_CHARS, LEAST_CHARS)
  const counted = charsTooMany(envelope, most)
  if (counted === undefined) return envelope
  const chars = options.originalChars ?? counted
  return envelope.ok ? cutSuccess(envelope, most, chars) : cutFailure(tool, envelope, most, chars)
}

/** The number of code points, if there are too many; undefined if the envelope fits. */
export function charsTooMany(envelope: Envelope, most: number): number | undefined {
  const { text, around, isCut } = rawOf(envelope)
  const counted = codePointsUpTo(text, text.length) + (around > AROUND_CHARS ? around : 0)
  return counted > (isCut ? most + AROUND_CHARS : most) ? counted : undefined
}

function cutSuccess({ tool, result, warnings }: Success, most: number, chars: number): Success {
  const notes = [...keptNotes(warnings ?? []), NOTICE]
  const name = tool === undefined ? undefined : shown(tool)
  // Perhaps only the warnings were too long.
  const whole = success(name, result, notes)
  if (charsTooMany(whole, most) === undefined) return whole
  const { text } = rawOf(success(undefined, result))
  const content = cutText(text, most, HEAD_SHARE_OF_RESULT)
  const cut: TruncatedOutput = { kind: 'truncated_output', truncated: true, original_chars: chars, content }
  return success(name, cut, notes)
}

function cutFailure(tool: string, cause: Failure, most: number, chars: number): Failure {
  const { kind, retryable, field, expected } = cause
  const name = shown(cause.tool ?? tool)
  const { text, around } = rawOf(cause)
  // If the message is short, the members beside it are too long.
  const words = text.length > around ? text : serialize(cause)
  return failure({
    kind,
    retryable,
    message: `Tool '${name}' failed and its error output exceeded the per-call cap. ${NOTICE}`,
    field: field === undefined ? undefined : shown(field),
    expected: expected === undefined ? undefined : shown(expected),
    tool: cause.tool === undefined ? undefined : name,
    extra: { truncated: true, original_chars: chars, content: cutText(words, most, HEAD_SHARE_OF_RESULT) },
  })
}

function keptNotes(warnings: readonly string[]): string[] {
  let left = MOST_NOTES
  return warnings.filter(warning => {
    if (warning.length > left) return false
    left -= warning.length
    return true
  })
}

/** An envelope → its main text, and the length of everything around it. */
interface RawText {
  readonly text: string
  /** Code points of everything else, as JSON. */
  readonly around: number
  /** It was cut before: the line that says so is not counted against the cap. */
  readonly isCut: boolean
}

/** In a failure with long members, a message shorter than this is not the main text. Code units. */
const SHORT_MESSAGE = 500

export function rawOf(envelope: Envelope): RawText {
  const content = contentOf(envelope)
  if (content !== undefined) return { text: content, around: chars(envelope, content), isCut: true }
  const text = envelope.ok ? textOf(envelope.result) : messageOf(envelope)
  if (text !== undefined) return { text, around: chars(envelope, text), isCut: false }
  // Of a success only the result counts, not its envelope.
  const written = serialize(envelope.ok ? envelope.result : envelope)
  const whole = serialize(envelope)
  const around = codePointsUpTo(whole, whole.length) - codePointsUpTo(written, written.length)
  return { text: written, around, isCut: false }
}

/** Length of everything but a text. The text's quotes and escapes do not count. */
function chars(envelope: Envelope, text: string): number {
  const whole = serialize(envelope)
  const written = JSON.stringify(text)
  return codePointsUpTo(whole, whole.length) - codePointsUpTo(written, written.length)
}

/** The one text in a result that a person would read; undefined if there are several. */
function textOf(result: unknown): string | undefined {
  if (typeof result === 'string') return result
  const text = isFields(result) && Object.keys(result).join() === 'text' ? member(result, 'text') : undefined
  return typeof text === 'string' ? text : undefined
}

function messageOf(envelope: Failure): string | undefined {
  return envelope.message.length > SHORT_MESSAGE ? envelope.message : undefined
}

/** The content of an earlier cut. */
function contentOf(envelope: Envelope): string | undefined {
  const holder: unknown = envelope.ok ? envelope.result : envelope
  if (!isFields(holder) || !isMarked(envelope, holder)) return undefined
  const content = member(holder, 'content')
  return typeof content === 'string' ? content : undefined
}

function isMarked({ ok }: Envelope, holder: Fields): boolean {
  if (member(holder, 'truncated') !== true) return false
  return !ok || member(holder, 'kind') === 'truncated_output'
}
