// The one error class, for calls that cannot be carried out, and its form for a command line. A fault *in* a bundle is a Finding, not an error.
import { frozen } from './frozen.ts'

/**
 * Every code an {@link RlpError} can carry.
 * `kind` is the tool contract's failure kind (docs/contract.md). `blame` says who has to act, and decides the
 * exit code in `model/exit-code.ts`: `call` 2, `bundle` 1, `machine` 3, `user` 130.
 */
export const ERRORS = frozen({
  USAGE: { kind: 'invalid_args', blame: 'call' },
  NOT_FOUND: { kind: 'not_found', blame: 'call' },
  WRONG_FILE_TYPE: { kind: 'invalid_args', blame: 'call' },
  EXISTS: { kind: 'rejected', blame: 'call' },
  NEEDS_ANSWER: { kind: 'invalid_args', blame: 'call' },
  LIMIT_EXCEEDED: { kind: 'rejected', blame: 'bundle' },
  LINT_FAILED: { kind: 'rejected', blame: 'bundle' },
  DIGEST_STALE: { kind: 'rejected', blame: 'bundle' },
  NOT_EDITABLE: { kind: 'rejected', blame: 'bundle' },
  NOT_VERIFIED: { kind: 'rejected', blame: 'bundle' },
  NOT_CONVERTIBLE: { kind: 'rejected', blame: 'bundle' },
  NO_PERMISSION: { kind: 'unavailable', blame: 'machine' },
  CHANGED_WHILE_READING: { kind: 'execution_error', blame: 'machine' },
  NO_SPACE: { kind: 'execution_error', blame: 'machine' },
  IO: { kind: 'execution_error', blame: 'machine' },
  TIMED_OUT: { kind: 'timeout', blame: 'machine' },
  UNREACHABLE: { kind: 'unavailable', blame: 'machine' },
  NOT_STORED: { kind: 'not_found', blame: 'machine' },
  UNENFORCED: { kind: 'unavailable', blame: 'machine' },
  UNRECORDED: { kind: 'execution_error', blame: 'machine' },
  LOCK_UNUSABLE: { kind: 'execution_error', blame: 'machine' },
  STORE: { kind: 'execution_error', blame: 'machine' },
  SIGNER: { kind: 'execution_error', blame: 'machine' },
  CANCELLED: { kind: 'user_denied', blame: 'user' },
} as const satisfies Record<string, { kind: FailureKind; blame: Blame }>)

export type ErrorCode = keyof typeof ERRORS
export type Blame = 'call' | 'bundle' | 'machine' | 'user'
/** The eight failure kinds of the tool contract (docs/contract.md, "The envelope"). */
export type FailureKind =
  | 'invalid_args'
  | 'rejected'
  | 'user_denied'
  | 'timeout'
  | 'execution_error'
  | 'not_found'
  | 'unavailable'
  | 'tool_not_found'

/**
 * A call that could not be carried out.
 *
 * `message` follows one grammar: *Cannot <do> <what>: <state seen>*, without a full stop. `hint` names the fix.
 */
export class RlpError extends Error {
  override readonly name: string = 'RlpError'
  readonly code: ErrorCode
  readonly hint: string | undefined

  constructor(
    code: ErrorCode,
    message: string,
    options: { hint?: string | undefined; cause?: unknown } = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause })
    this.code = code
    this.hint = options.hint
  }
}

/** Whether it is something in the way that can be told and passed over: neither a defect of our own, nor that the caller has given up. */
export function isObstacle(error: unknown): error is RlpError {
  return error instanceof RlpError && error.code !== 'CANCELLED'
}

/** `USAGE`, and which argument is wrong. Shown with a pointer to the command's `--help`. */
export class UsageError extends RlpError {
  override readonly name: string = 'UsageError'
  /** The option without dashes, or the positional's name. */
  readonly field: string | undefined
  /** What the argument should look like. */
  readonly expected: string | undefined

  constructor(
    message: string,
    details: { hint?: string | undefined; field?: string; expected?: string | undefined } = {},
  ) {
    super('USAGE', message, { hint: details.hint })
    this.field = details.field
    this.expected = details.expected
  }
}
