import type { PolicySource } from '../model/trust.ts'
import type { Judgement } from '../trust/judge.ts'

/** What one policy says about the signers. */
export interface Judged {
  readonly source: PolicySource & { readonly policy: NonNullable<PolicySource['policy']> }
  readonly judgement: Judgement
}
