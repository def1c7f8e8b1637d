// An envelope that is too long for a model → one that is not, and says so (systems reference §4a "Truncation").
import { type Envelope, type Failure, failure, type Success, success } from './envelope.ts'
import { rawOf } from './raw-text.ts'
import type { TruncatedOutput } from './results.ts'
import { shown } from './say.ts'
import { serialize } from './serialize.ts'
import { codePointsUpTo, cutText, MAX_RESULT_CHARS } from './truncate.ts'

/** What a result is that was cut begins with most of its beginning: there stands what it is about. */
const HEAD_SHARE = 2 / 3
/** Below, there would be no room for saying that something was cut. */
const LEAST_CHARS = 2_000
/** Code points that may stand around a text: names, notes, and the line that says what was cut. */
const AROUND_CHARS = 6_000
/** Code units of the notes that a cut envelope keeps, all together. */
const MOST_NOTES = 500

const NOTICE =
  'Output exceeded the per-call cap and was truncated (head and tail kept). Re-run with narrower arguments — filters, `max_results`, line ranges, or head/tail options — to retrieve the missing region.'

export interface TruncateOptions {
  /** Code points of the answer's own text, before anything is put around it; at least 2,000. */
  readonly maxChars?: number
  /** Code points of what the tool answered, for `original_chars`; the text's own where nothing is said. */
  readonly originalChars?: number
}

/**
 * The same envelope while it fits; else one whose `result` is a {@link TruncatedOutput} with one more warning. A failure stays the
 * failure it was: its kind, `retryable` and `field` are kept, its words stand in `content`.
 *
 * What counts is the text that the answer consists of, not how it is written: a result that is one text, a failure's message, what an
 * earlier cut has left; of every other result its JSON.
 */
export function truncateResult(tool: string, envelope: Envelope, options: TruncateOptions = {}): Envelope {
  const most = Math.max(options.maxChars ?? MAX_RESULT_CHARS, LEAST_CHARS)
  const counted = charsTooMany(envelope, most)
  if (counted === undefined) return envelope
  const chars = options.originalChars ?? counted
  return envelope.ok ? cutSuccess(envelope, most, chars) : cutFailure(tool, envelope, most, chars)
}

/** How many code points there are, where they are too many; undefined where the envelope fits. */
export function charsTooMany(envelope: Envelope, most: number): number | undefined {
  const { text, around, isCut } = rawOf(envelope)
  const counted = codePointsUpTo(text, text.length) + (around > AROUND_CHARS ? around : 0)
  return counted > (isCut ? most + AROUND_CHARS : most) ? counted : undefined
}

function cutSuccess({ tool, result, warnings }: Success, most: number, chars: number): Success {
  const notes = [...keptNotes(warnings ?? []), NOTICE]
  const name = tool === undefined ? undefined : shown(tool)
  // It may have been the warnings.
  const whole = success(name, result, notes)
  if (charsTooMany(whole, most) === undefined) return whole
  const { text } = rawOf(success(undefined, result))
  const content = cutText(text, most, HEAD_SHARE)
  const cut: TruncatedOutput = { kind: 'truncated_output', truncated: true, original_chars: chars, content }
  return success(name, cut, notes)
}

function cutFailure(tool: string, cause: Failure, most: number, chars: number): Failure {
  const { kind, retryable, field, expected } = cause
  const name = shown(cause.tool ?? tool)
  const { text, around } = rawOf(cause)
  // Where the words are short, it is the members beside them that are long.
  const words = text.length > around ? text : serialize(cause)
  return failure({
    kind,
    retryable,
    message: `Tool '${name}' failed and its error output exceeded the per-call cap. ${NOTICE}`,
    field: field === undefined ? undefined : shown(field),
    expected: expected === undefined ? undefined : shown(expected),
    tool: cause.tool === undefined ? undefined : name,
    extra: { truncated: true, original_chars: chars, content: cutText(words, most, HEAD_SHARE) },
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
