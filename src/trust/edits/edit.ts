// The interface of a kind of edit of a trust policy: everything that is particular to one.
import type { Document } from '../../model/document.ts'
import type { PolicySource, TrustPolicy } from '../../model/trust.ts'
import type { TomlChange } from '../../toml/edit.ts'

/** A policy before a change and after it. */
export interface Edited {
  readonly document: Document
  readonly before: TrustPolicy
  readonly after: TrustPolicy
}

/** @template C what a change of this kind says */
export interface EditKind<C> {
  /**
   * The policy after a change.
   * @param file name of the policy in messages
   * @throws RlpError if the change is refused
   */
  after(policy: TrustPolicy, change: C, file: string): TrustPolicy
  /** The places of the file that change, and their new values. */
  places(change: C, edited: Edited): readonly TomlChange[]
  /** The names, keys, digests or versions that a change is about, for the audit log. */
  about(change: C): readonly string[]
  /** Why a person wants it, for the audit log. */
  reason?(change: C): string | undefined
  /** What is said to a person before they are asked, and in the answer: a line each. */
  says?(change: C, edited: PolicySource): readonly string[]
}
