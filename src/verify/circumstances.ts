// What the verdict on a bundle depends on beside its bytes. All of it is gathered before the bundle is judged.
import type { Expectation } from '../format/reference.ts'
import type { TrustContext } from '../model/trust.ts'

export interface Circumstances {
  /** Which agent it has to be; `any` is reported as skipped. */
  readonly expect: Expectation | 'any'
  /**
   * Accept a sound bundle without signature. The verdict's word stays `unsigned`. Has no effect where a policy has `[require]`, or
   * where the agent was ever installed signed.
   */
  readonly allowUnsigned?: boolean
  /** A person looks into the bundle: its contents are read whoever made it. No verdict depends on that. */
  readonly look?: boolean
  /**
   * Accept a bundle that is older than its high-water mark, never other content under the same version. The verdict's word stays
   * `rolled_back`. For `install`, which records it.
   */
  readonly allowDowngrade?: boolean
  /** What trust depends on; without it nobody is trusted, and a signed bundle is `indeterminate`. */
  readonly trust?: TrustContext
}
