// A tool's answer → whether it is a success, a failure or neither (seed 004, "Detection"). It is parsed first and only sniffed at when
// that fails (systems reference §4c, recommendation 5): a success may well speak of failures.
import { holdsMoreValues } from '../format/json/count.ts'
import { MESSAGE_LIMITS } from '../model/limits.ts'
import { type Failure, failure } from './envelope.ts'
import { type Fields, isFields, member } from './json-text.ts'
import { fromLegacyObject, fromPrefix, isLegacyObject, kindNamed } from './legacy.ts'

/** What an answer is. `form` says how it could be told. */
export type Detected =
  | { readonly is: 'success'; readonly form: 'envelope'; readonly fields: Fields }
  /** Cut off, or otherwise no JSON, and it says `"ok": true`. */
  | { readonly is: 'success'; readonly form: 'sniffed' }
  | { readonly is: 'failure'; readonly form: 'envelope'; readonly fields: Fields; readonly failure: Failure }
  | {
      readonly is: 'failure'
      readonly form: 'legacy-object' | 'legacy-prefix' | 'sniffed'
      readonly failure: Failure
    }
  /** `value` is there when it is JSON. */
  | { readonly is: 'neither'; readonly json: boolean; readonly value?: unknown }

/**
 * What an answer is. Never throws, and follows nothing into depth.
 *
 * @param text what a tool answered; white space around it does not matter
 */
export function detect(text: string): Detected {
  const trimmed = text.trim()
  const parsed = parse(trimmed)
  if (parsed === undefined) return sniff(trimmed)
  const { value } = parsed
  if (!isFields(value)) return { is: 'neither', json: true, value }
  const ok = member(value, 'ok')
  if (ok === true) return { is: 'success', form: 'envelope', fields: value }
  if (ok === false)
    return { is: 'failure', form: 'envelope', fields: value, failure: fromEnvelope(value, text) }
  if (isLegacyObject(value))
    return { is: 'failure', form: 'legacy-object', failure: fromLegacyObject(value, text) }
  return { is: 'neither', json: true, value }
}

/** The engine's parser, not the strict one: what a tool answers is read, not passed on as checked. */
function parse(text: string): { readonly value: unknown } | undefined {
  // Texts are long and seldom JSON; an error for each costs more than a look.
  if (!/^[[{"\-0-9tfn]/.test(text) || holdsMoreValues(text, MESSAGE_LIMITS.jsonValues)) return undefined
  try {
    return { value: JSON.parse(text) }
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    throw error
  }
}

/** Substrings, as they were looked for before there was an envelope. Where they contradict each other it is a failure. */
function sniff(text: string): Detected {
  const old = fromPrefix(text)
  if (old !== undefined) return { is: 'failure', form: 'legacy-prefix', failure: old }
  // Prose may quote an envelope: a program that prints some has not failed.
  if (!text.startsWith('{')) return { is: 'neither', json: false }
  if (/"ok": ?false/.test(text) || (text.includes('"error":') && text.includes('"retryable":')))
    return { is: 'failure', form: 'sniffed', failure: failure({ kind: 'execution_error', message: text }) }
  if (/"ok": ?true/.test(text)) return { is: 'success', form: 'sniffed' }
  return { is: 'neither', json: false }
}

/** The failure that an object with `ok: false` is, with what it leaves out or gets wrong filled in. */
function fromEnvelope(fields: Fields, text: string): Failure {
  const word = (name: string): string | undefined => {
    const value = member(fields, name)
    return typeof value === 'string' ? value : undefined
  }
  const given = member(fields, 'kind')
  const kind = kindNamed(given)
  const retryable = member(fields, 'retryable')
  return failure({
    kind: kind ?? 'execution_error',
    message: word('message') ?? word('reason') ?? text,
    field: word('field'),
    expected: word('expected'),
    tool: word('tool'),
    retryable: typeof retryable === 'boolean' ? retryable : undefined,
    // A kind that nobody knows is kept where it can do no harm.
    extra: { ...fields, ...(kind === undefined && given !== undefined && { reported_kind: given }) },
  })
}

/**
 * Whether an answer is a failure: an envelope with `ok: false`, or one of the older forms.
 *
 * @example
 * isError('{"ok":false,"kind":"timeout","message":"slow","retryable":true}') // true
 * isError('[TIMEOUT] slow') // true
 * isError('{"ok":true,"result":{"ok":false}}') // false
 */
export function isError(text: string): boolean {
  return detect(text).is === 'failure'
}

/** Whether an answer is an envelope with `ok: true`. Plain text is neither success nor error. */
export function isSuccess(text: string): boolean {
  return detect(text).is === 'success'
}

/** The `result` of a success, of any type; undefined for everything else. */
export function successPayload(text: string): unknown {
  const found = detect(text)
  return found.is === 'success' && found.form === 'envelope'
    ? (member(found.fields, 'result') ?? null)
    : undefined
}

/** What a failure says: its `message`, else its `reason`, else the text itself, as for everything that is no failure. */
export function failureMessage(text: string): string {
  const value = isError(text) ? parse(text.trim())?.value : undefined
  if (!isFields(value)) return text
  const said = ['message', 'reason'].map(name => member(value, name))
  return said.find(words => typeof words === 'string') ?? text
}
