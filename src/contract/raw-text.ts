// An envelope → its main text, and the length of everything around it.
import { type Envelope, type Failure, serialize } from './envelope.ts'
import { type Fields, isFields, member } from './json-text.ts'
import { codePointsUpTo } from './truncate.ts'

export interface RawText {
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
