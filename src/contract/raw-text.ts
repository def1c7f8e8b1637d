// An envelope → the text that it consists of, and how much stands around it.
import { type Envelope, type Failure, serialize } from './envelope.ts'
import { type Fields, isFields, member } from './json-text.ts'
import { codePointsUpTo } from './truncate.ts'

export interface RawText {
  readonly text: string
  /** Code points of everything else, as JSON. */
  readonly around: number
  /** It was cut before: the line that says so comes on top of the cap. */
  readonly isCut: boolean
}

/** A short message beside long members is not what a failure consists of. Code units. */
const SHORT_MESSAGE = 500

export function rawOf(envelope: Envelope): RawText {
  const content = contentOf(envelope)
  if (content !== undefined) return { text: content, around: chars(envelope, content), isCut: true }
  const text = envelope.ok ? textOf(envelope.result) : messageOf(envelope)
  if (text !== undefined) return { text, around: chars(envelope, text), isCut: false }
  // Of a success the result alone: what was put around it is no part of it.
  const written = serialize(envelope.ok ? envelope.result : envelope)
  const whole = serialize(envelope)
  const around = codePointsUpTo(whole, whole.length) - codePointsUpTo(written, written.length)
  return { text: written, around, isCut: false }
}

/** What is there beside a text: written as a member, its quotes and escapes are no part of it. */
function chars(envelope: Envelope, text: string): number {
  const whole = serialize(envelope)
  const written = JSON.stringify(text)
  return codePointsUpTo(whole, whole.length) - codePointsUpTo(written, written.length)
}

/** What a person would read of a result; undefined where it is more than one text. */
function textOf(result: unknown): string | undefined {
  if (typeof result === 'string') return result
  const text = isFields(result) && Object.keys(result).join() === 'text' ? member(result, 'text') : undefined
  return typeof text === 'string' ? text : undefined
}

function messageOf(envelope: Failure): string | undefined {
  return envelope.message.length > SHORT_MESSAGE ? envelope.message : undefined
}

/** What an earlier cut has left. */
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
