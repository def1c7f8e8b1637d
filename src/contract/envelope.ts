// The two envelopes of the tool contract, success and failure, their text, one line of JSON (docs/contract.md, "The envelope"), and the
// failures of the caller, not of the tool: it is unknown, took too long, or was stopped.
import type { FailureKind } from '../model/error.ts'

export { serialize } from './serialize.ts'

/** Whether a retry may help, if the caller does not say. */
export const RETRYABLE: Readonly<Record<FailureKind, boolean>> = {
  invalid_args: true,
  rejected: false,
  user_denied: false,
  timeout: true,
  execution_error: true,
  not_found: false,
  unavailable: true,
  tool_not_found: false,
}

/** The two shapes that every tool answers in; `ok` tells them apart. */
export type Envelope<R = unknown> = Success<R> | Failure

/** @typeParam R the result; any JSON, null if there is none */
export interface Success<R = unknown> {
  readonly ok: true
  readonly result: R
  readonly tool?: string
  /** Never empty. */
  readonly warnings?: readonly string[]
}

/** A call that did not succeed, described so that a model can do better. */
export interface Failure {
  readonly ok: false
  readonly kind: FailureKind
  readonly message: string
  /** Whether a retry may help. */
  readonly retryable: boolean
  /** The argument at fault. */
  readonly field?: string
  /** What it should look like. */
  readonly expected?: string
  readonly tool?: string
  /** Absent in a failure: reading it before `ok` was checked gives a type that says so. */
  readonly result?: never
  readonly [extra: string]: unknown
}

/**
 * A success. An absent result is null, and an empty list of warnings is left out.
 *
 * @example
 * serialize(success('write_file', { path: 'a.txt', size: 3 }, ['slow disk']))
 */
export function success(tool: string | undefined): Success<null>
export function success<R>(tool: string | undefined, result: R, warnings?: readonly string[]): Success<R>
export function success(
  tool: string | undefined,
  result: unknown = null,
  warnings: readonly string[] = [],
): Success {
  return { ok: true, result, ...(tool !== undefined && { tool }), ...(warnings.length > 0 && { warnings }) }
}

/** A success whose result is one text. */
export function textSuccess(
  tool: string | undefined,
  text: string,
  warnings: readonly string[] = [],
): Success<{ readonly text: string }> {
  return success(tool, { text }, warnings)
}

const FIXED: ReadonlySet<string> = new Set([
  'ok',
  'kind',
  'message',
  'retryable',
  'field',
  'expected',
  'tool',
])

/** The parts of a failure. Without `retryable`, the kind decides. */
export interface FailureDetails {
  readonly kind: FailureKind
  readonly message: string
  readonly field?: string | undefined
  readonly expected?: string | undefined
  readonly tool?: string | undefined
  readonly retryable?: boolean | undefined
  readonly extra?: Readonly<Record<string, unknown>>
}

/**
 * A failure. Empty texts are kept. Members of `extra` are added beside the fixed seven and never replace one,
 * not even an absent one: metadata must not change the meaning of a failure.
 *
 * @example failure({ kind: 'not_found', message: 'File not found: a.txt', field: 'path', tool: 'read_file',
 * extra: { tried: ['a.txt'] } })
 */
export function failure(details: FailureDetails): Failure {
  const { kind, message, field, expected, tool, retryable = RETRYABLE[kind], extra = {} } = details
  return {
    // `fromEntries` creates members; an assignment would follow `__proto__`.
    ...Object.fromEntries(
      Object.entries(extra).filter(([key, value]) => !FIXED.has(key) && value !== undefined),
    ),
    ok: false,
    kind,
    message,
    retryable,
    ...(field !== undefined && { field }),
    ...(expected !== undefined && { expected }),
    ...(tool !== undefined && { tool }),
  }
}

export const KINDS: Readonly<Record<FailureKind, string>> = {
  invalid_args: 'an argument is missing, malformed, or does not fit the others',
  rejected: 'a policy does not allow it',
  user_denied: 'a person was asked and said no',
  timeout: 'the tool ran out of time',
  execution_error: 'the tool ran and failed',
  not_found: 'a file or folder that was named is not there',
  unavailable: 'the tool is there and cannot run now',
  tool_not_found: 'there is no tool of this name',
}

export function isFailureKind(value: unknown): value is FailureKind {
  return typeof value === 'string' && Object.hasOwn(KINDS, value)
}

/** Without suggestions: a model would call a tool that it was not given. */
export function unknownTool(tool: string): Failure {
  return failure({
    kind: 'tool_not_found',
    message: `Tool '${tool}' is not available in this session.`,
    tool,
  })
}

/**
 * The tool did not answer in time.
 * @param seconds the time that the tool had
 */
export function timedOut(tool: string, seconds: number): Failure {
  return failure({
    kind: 'timeout',
    message: `Tool '${tool}' exceeded the ${seconds}s execution budget.`,
    tool,
  })
}

/**
 * The call was stopped. Not retryable: the same call would be stopped again.
 * @param killedBy who ended the running call; absent if it had not begun
 */
export function cancelled(tool: string, killedBy?: 'user'): Failure {
  return failure({
    kind: 'execution_error',
    message: `Tool '${tool}' was cancelled.`,
    retryable: false,
    tool,
    extra: { killed_by: killedBy },
  })
}
