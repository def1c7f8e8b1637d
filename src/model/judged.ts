// What one trust policy says about the signatures of a bundle, line by line.
import type { CountedStatement } from './attestation.ts'
import type { Pointer } from './document.ts'
import type { CodeOf } from './reason-codes.ts'

/** Why a signature by a key of an anchor does not count. */
export interface NotCounted {
  /** What its key is; reports have this word. */
  readonly is: 'an attesting key' | 'a signing key' | 'a development key' | 'an ended key'
  /** What follows on *it has signed*, with the space or comma before it. */
  readonly why: string
}

/** The result for one signature. */
export interface SignerFact {
  readonly signer: string
  readonly anchor: string | undefined
  readonly is: 'counted' | 'no anchor' | 'revoked' | NotCounted['is']
  /** Set where the anchor's own fields decided. */
  readonly why?: string
}

/** What one line of the policy says about the bundle. */
export interface PolicyLine {
  readonly at: Pointer
  /** `neutral`: it neither helps nor hinders. */
  readonly says: 'for' | 'against' | 'neutral'
  /** One sentence without a full stop. */
  readonly detail: string
}

/** One thing that a policy requires. */
export interface RequiredLine extends PolicyLine {
  /** Why it is not met, where it is not. */
  readonly code: CodeOf<'untrusted'>
  /** The statement that counted, if one is required and there. */
  readonly attested?: CountedStatement
}
