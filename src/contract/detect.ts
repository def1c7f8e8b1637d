// Tells a success from a failure in a tool's answer. It is parsed first, and searched for markers only if that fails: a success may contain the word
// "error". Failures in forms from before the envelope count as well.
import { holdsMoreValues } from '../json/count.ts'
import type { FailureKind } from '../model/error.ts'
import { MESSAGE_LIMITS } from '../model/limits.ts'
import { type Failure, failure, isFailureKind } from './envelope.ts'
import { type Fields, isFields, member } from './json-text.ts'

/** What an answer is. `form` says how it was recognised. */
export type Detected =
  | { readonly is: 'success'; readonly form: 'envelope'; readonly fields: Fields }
  /** Cut off, or otherwise not JSON, and it contains `"ok": true`. */
  | { readonly is: 'success'; readonly form: 'sniffed' }
  | { readonly is: 'failure'; readonly form: 'envelope'; readonly fields: Fields; readonly failure: Failure }
  | {
      readonly is: 'failure'
      readonly form: 'legacy-object' | 'legacy-prefix' | 'sniffed'
      readonly failure: Failure
    }
  /** `value` is present if the answer is JSON. */
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

/** The engine's parser, not the strict one: the value is only inspected and never passed on as checked. */
function parse(text: string): { readonly value: unknown } | undefined {
  // Texts are long and seldom JSON: looking at the first character is cheaper than throwing an error for
  // each.
  if (!/^[[{"\-0-9tfn]/.test(text) || holdsMoreValues(text, MESSAGE_LIMITS.jsonValues)) return undefined
  try {
    return { value: JSON.parse(text) }
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    throw error
  }
}

/**
 * Looks for substrings, as callers did before there was an envelope. If they contradict each other it is a
 * failure.
 */
function sniff(text: string): Detected {
  const old = fromPrefix(text)
  if (old !== undefined) return { is: 'failure', form: 'legacy-prefix', failure: old }
  // Prose may quote an envelope: a program that prints one has not failed.
  if (!text.startsWith('{')) return { is: 'neither', json: false }
  if (/"ok": ?false/.test(text) || (text.includes('"error":') && text.includes('"retryable":')))
    return { is: 'failure', form: 'sniffed', failure: failure({ kind: 'execution_error', message: text }) }
  if (/"ok": ?true/.test(text)) return { is: 'success', form: 'sniffed' }
  return { is: 'neither', json: false }
}

/** An object with `ok: false` → the failure, with missing or wrong members filled in. */
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
    // An unknown kind is kept as an extra member, where it decides nothing.
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

/**
 * What a failure says: its `message`, else its `reason`, else the whole text. The whole text too if it is not
 * a failure.
 */
export function failureMessage(text: string): string {
  const value = isError(text) ? parse(text.trim())?.value : undefined
  if (!isFields(value)) return text
  const said = ['message', 'reason'].map(name => member(value, name))
  return said.find(words => typeof words === 'string') ?? text
}

/** Spellings of the old `error` that differ from the kind. */
const OLD_KINDS: ReadonlyMap<string, FailureKind> = new Map([
  ['invalidArguments', 'invalid_args'],
  ['executionError', 'execution_error'],
  ['toolNotFound', 'tool_not_found'],
])

const PREFIXES: readonly (readonly [prefix: string, kind: FailureKind])[] = [
  ['[REJECTED]', 'rejected'],
  ['[TIMEOUT]', 'timeout'],
]

/** The kind that an old or new spelling names; undefined for neither. */
function kindNamed(name: unknown): FailureKind | undefined {
  return isFailureKind(name) ? name : typeof name === 'string' ? OLD_KINDS.get(name) : undefined
}

/** Whether an object has the old `{ error, retryable }` shape. agentcli's `{ error }` alone does not. */
function isLegacyObject(fields: Fields): boolean {
  return Object.hasOwn(fields, 'error') && Object.hasOwn(fields, 'retryable')
}

/**
 * The old `{ error, reason, toolName, retryable }` as a failure; `text` is the message if it has no other.
 */
function fromLegacyObject(fields: Fields, text: string): Failure {
  const word = (name: string): string | undefined => {
    const value = member(fields, name)
    return typeof value === 'string' ? value : undefined
  }
  const error = word('error')
  const retryable = member(fields, 'retryable')
  return legacyFailure({
    kind: error ?? 'executionError',
    // A word that is not a kind is a message.
    reason: word('message') ?? word('reason') ?? (kindNamed(error) === undefined ? error : undefined) ?? text,
    tool: word('toolName'),
    retryable: typeof retryable === 'boolean' ? retryable : undefined,
  })
}

/** A failure from the parts of the old error envelope, its kinds in old or new spelling. */
export function legacyFailure(parts: {
  readonly kind: string
  readonly reason: string
  readonly tool?: string | undefined
  readonly retryable?: boolean | undefined
}): Failure {
  const { kind, reason, tool, retryable } = parts
  return failure({ kind: kindNamed(kind) ?? 'execution_error', message: reason, tool, retryable })
}

/** The failure in an old-style text: `[TIMEOUT] …`. */
function fromPrefix(text: string): Failure | undefined {
  const trimmed = text.trim()
  const [prefix, kind] = PREFIXES.find(([prefix]) => trimmed.startsWith(prefix)) ?? []
  if (prefix === undefined || kind === undefined) return undefined
  return failure({ kind, message: trimmed.slice(prefix.length).trim() })
}

/** `partial_listing`: truncated and not empty. `error`: any failure but a missing path. */
export type ResultClass =
  | 'empty_listing'
  | 'partial_listing'
  | 'populated_listing'
  | 'file_content'
  | 'not_found'
  | 'error'
  | 'other'

/**
 * The class of an answer, by its fields and never by its prose. Never throws.
 *
 * @example
 * classify('{"ok":true,"result":{"kind":"listing","path":".","entries":[],"entry_count":0,"truncated":false}}') // empty_listing
 */
export function classify(text: string): ResultClass {
  const found = detect(text)
  if (found.is === 'failure') return found.failure.kind === 'not_found' ? 'not_found' : 'error'
  const result =
    found.is === 'success' && found.form === 'envelope' ? member(found.fields, 'result') : undefined
  if (!isFields(result)) return 'other'
  switch (member(result, 'kind')) {
    case 'listing': {
      const [count, entries] = [member(result, 'entry_count'), member(result, 'entries')]
      const known = typeof count === 'number' ? count : Array.isArray(entries) ? entries.length : 0
      if (known === 0) return 'empty_listing'
      return member(result, 'truncated') === true ? 'partial_listing' : 'populated_listing'
    }
    case 'file':
      return 'file_content'
    default:
      return 'other'
  }
}
