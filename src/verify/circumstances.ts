// Everything that a bundle's verdict depends on beside its bytes. It is gathered before the bundle is judged.

import type { CheckedAddition } from '../model/carried.ts'
import type { LockSource } from '../model/lock.ts'
import type { TrustContext } from '../model/trust.ts'
import type { Expectation } from '../version/reference.ts'

export interface Circumstances {
  /** The expected agent; `any` is reported as skipped. */
  readonly expect: Expectation | 'any'
  /**
   * Accept a sound bundle without signature. The verdict stays `unsigned`. Has no effect if a policy has `[require]`, or if the agent was
   * ever installed signed.
   */
  readonly allowUnsigned?: boolean | undefined
  /** A person examines the bundle: its contents are read, for any signer. No verdict depends on it. */
  readonly look?: boolean | undefined
  /**
   * Accept a bundle that is older than its high-water mark, but never other content under the same version. The verdict stays
   * `rolled_back`. For `install`, which records it.
   */
  readonly allowDowngrade?: boolean | undefined
  /** Why some signatures that were added later may be unknown. Then a lack of signatures does not decide yet. */
  readonly incomplete?: string | undefined
  /** Keyless signatures came with the bundle, and no policy names an identity. */
  readonly hasUnexamined?: boolean | undefined
  /** What was attached to the bundle where it is stored; for the report. */
  readonly additions?: readonly CheckedAddition[] | undefined
  /** What bundles were when they were locked. Each lock that names the agent refuses more, and none accepts. */
  readonly locks?: readonly LockSource[] | undefined
  /** The report is read at the command line: hints call options by their flags. No verdict depends on it. */
  readonly isForPerson?: boolean | undefined
  /** What trust depends on. Without it no signer is trusted, and a signed bundle is `indeterminate`. */
  readonly trust?: TrustContext | undefined
}
