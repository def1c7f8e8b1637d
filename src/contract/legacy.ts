// Failures in forms from before the envelope → the envelope.
import type { FailureKind } from '../model/error.ts'
import { type Failure, failure } from './envelope.ts'
import { type Fields, member } from './json-text.ts'
import { isFailureKind } from './kinds.ts'

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
export function kindNamed(name: unknown): FailureKind | undefined {
  return isFailureKind(name) ? name : typeof name === 'string' ? OLD_KINDS.get(name) : undefined
}

/** Whether an object has the old `{ error, retryable }` shape. agentcli's `{ error }` alone does not. */
export function isLegacyObject(fields: Fields): boolean {
  return Object.hasOwn(fields, 'error') && Object.hasOwn(fields, 'retryable')
}

/**
 * The old `{ error, reason, toolName, retryable }` as a failure; `text` is the message if it has no other.
 */
export function fromLegacyObject(fields: Fields, text: string): Failure {
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
export function fromPrefix(text: string): Failure | undefined {
  const trimmed = text.trim()
  const [prefix, kind] = PREFIXES.find(([prefix]) => trimmed.startsWith(prefix)) ?? []
  if (prefix === undefined || kind === undefined) return undefined
  return failure({ kind, message: trimmed.slice(prefix.length).trim() })
}
