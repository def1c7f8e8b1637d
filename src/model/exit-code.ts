// How a command ended → the exit code that the shell sees (docs/command-line.md#exit-codes).
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

/** How `rlp agent run` says that the module did not end by itself: as timeout(1) does, and a shell of SIGABRT, SIGKILL and SIGPIPE. */
export const MODULE_EXIT = {
  late: 124,
  trapped: 134,
  /** The engine ended, mostly for want of memory. */
  lost: 137,
  /** The reader of its output went away. */
  unread: 141,
} as const

declare const ofModule: unique symbol

/** Of a module that ended by itself: 0 to 255. */
export type OwnExit = number & { readonly [ofModule]: true }

export type ExitCode =
  | (typeof EXIT)[keyof typeof EXIT]
  | (typeof MODULE_EXIT)[keyof typeof MODULE_EXIT]
  | OwnExit

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
