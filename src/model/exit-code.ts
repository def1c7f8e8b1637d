// How a command ended → the exit code that the shell sees (docs/commands.md#exit-codes).
import { type Blame, ERRORS, RlpError } from './error.ts'

/** What each exit code says. A verdict's own code is in `model/verdict.ts`. */
export const EXIT = {
  ok: 0,
  /** The bundle or agent is at fault: findings, a failed verification. */
  bundle: 1,
  /** The call is at fault: usage, configuration, a missing file. */
  call: 2,
  /** Could not decide: I/O, a broken trust policy. */
  machine: 3,
  /** Verdict `policy_denied`; for `diff`, `install` and `lock update`: the new one may do more than the old. */
  denied: 4,
  /** Our own bug. */
  bug: 70,
  /** Interrupted, or a question answered with no. */
  user: 130,
} as const

export type ExitCode = (typeof EXIT)[keyof typeof EXIT]

const BY_BLAME = {
  call: EXIT.call,
  bundle: EXIT.bundle,
  machine: EXIT.machine,
  user: EXIT.user,
} as const satisfies Record<Blame, ExitCode>

/** The exit code of a command that threw. */
export function exitCodeOf(error: unknown): ExitCode {
  return error instanceof RlpError ? BY_BLAME[ERRORS[error.code].blame] : EXIT.bug
}
