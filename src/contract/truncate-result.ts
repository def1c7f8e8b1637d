// An envelope that is too long for a model → one that is not, and says so (systems reference §4a "Truncation").
import { type Envelope, type Failure, failure, type Success, success } from './envelope.ts'
import type { TruncatedOutput } from './results.ts'
import { shown } from './say.ts'
import { serialize } from './serialize.ts'
import { codePointsUpTo, cutText, MAX_RESULT_CHARS } from './truncate.ts'

/** What a result is that was cut begins with most of its beginning: there stands what it is about. */
const HEAD_SHARE = 2 / 3
/** Below, there would be no room for saying that something was cut. */
const LEAST_CHARS = 2_000
/** Code units of the notes that a cut envelope keeps, all together. */
const MOST_NOTES = 500

const NOTICE =
  'Output exceeded the per-call cap and was truncated (head and tail kept). Re-run with narrower arguments — filters, `max_results`, line ranges, or head/tail options — to retrieve the missing region.'

export interface TruncateOptions {
  /** Code points of the whole envelope as text; at least 2,000. */
  readonly maxChars?: number
  /** Code points of what the tool answered, for `original_chars`; the envelope's own where nothing is said. */
  readonly originalChars?: number
}

/**
 * The same envelope while it fits; else one whose `result` is a {@link TruncatedOutput} with one more warning. A failure stays the
 * failure it was: its kind, `retryable` and `field` are kept, its words stand in `content`.
 */
export function truncateResult(tool: string, envelope: Envelope, options: TruncateOptions = {}): Envelope {
  const most = Math.max(options.maxChars ?? MAX_RESULT_CHARS, LEAST_CHARS)
  const written = serialize(envelope)
  if (written.length <= most) return envelope
  const length = codePointsUpTo(written, written.length)
  if (length <= most) return envelope
  const chars = options.originalChars ?? length
  return envelope.ok ? cutSuccess(envelope, most, chars) : cutFailure(tool, envelope, most, chars)
}

function cutSuccess({ tool, result, warnings }: Success, most: number, chars: number): Success {
  const notes = [...keptNotes(warnings ?? []), NOTICE]
  const name = tool === undefined ? undefined : shown(tool)
  const text = textOf(result)
  // It may have been the warnings. What is long by itself need not be written once more to see that.
  const whole = success(name, result, notes)
  if (text.length <= 2 * most && fits(whole, most)) return whole
  return fitted(most, text, content => {
    const cut: TruncatedOutput = { kind: 'truncated_output', truncated: true, original_chars: chars, content }
    return success(name, cut, notes)
  })
}

function cutFailure(tool: string, cause: Failure, most: number, chars: number): Failure {
  const { kind, retryable, message, field, expected } = cause
  const name = shown(cause.tool ?? tool)
  // Where the words are short, it is the members beside them that are long.
  const words = message.length > MOST_NOTES ? message : serialize(cause)
  return fitted(most, words, content =>
    failure({
      kind,
      retryable,
      message: `Tool '${name}' failed and its error output exceeded the per-call cap. ${NOTICE}`,
      field: field === undefined ? undefined : shown(field),
      expected: expected === undefined ? undefined : shown(expected),
      tool: cause.tool === undefined ? undefined : name,
      extra: { truncated: true, original_chars: chars, content },
    }),
  )
}

/** The envelope with as much of a text as it has room for. Quotes and controls grow when they are written. */
function fitted<E extends Envelope>(most: number, text: string, make: (content: string) => E): E {
  let room = most
  for (;;) {
    const made = make(cutText(text, room, HEAD_SHARE))
    const written = serialize(made)
    const length = written.length <= most ? 0 : codePointsUpTo(written, written.length)
    if (length <= most || room === 0) return made
    room = Math.max(0, Math.min(Math.floor((room * most) / length), room - 100))
  }
}

function fits(envelope: Envelope, most: number): boolean {
  const written = serialize(envelope)
  return written.length <= most || codePointsUpTo(written, written.length) <= most
}

/** What a person would read of a result. */
function textOf(result: unknown): string {
  if (typeof result === 'string') return result
  if (typeof result === 'object' && result !== null && Object.keys(result).join() === 'text') {
    const { text } = result as { readonly text: unknown }
    if (typeof text === 'string') return text
  }
  return serialize(result)
}

function keptNotes(warnings: readonly string[]): string[] {
  let left = MOST_NOTES
  return warnings.filter(warning => {
    if (warning.length > left) return false
    left -= warning.length
    return true
  })
}
