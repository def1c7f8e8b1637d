// Signs a statement about a bundle into its file of attestations, if there is a signer.

import type { Target } from '../io/find/find-agents.ts'
import type { PathGiven } from '../io/library/caller.ts'
import type { Setting } from '../io/setting.ts'
import type { PredicateName } from '../statement/predicates/index.ts'
import type { AttestedBundle } from '../statement/statement.ts'
import { type Attested, type Attesting, toAttest } from './attest.ts'
import { attestationFile } from './attesting-given.ts'

/** The statements about a bundle. */
interface ToState {
  readonly name: PredicateName
  readonly about: AttestedBundle
  readonly predicate: object
  readonly target: Target
}

export interface StatedAbout {
  /** As the caller called it. */
  readonly bundle: string
  /** Where it was signed, with `key` or `keyless`. */
  readonly attested: Attested | undefined
  /** Whether a file of attestations has another statement than before. Without a signer nothing changes. */
  readonly changed: boolean
}

/** Signs what is stated, as the caller has said who signs and where it goes. */
export type SignStated = (stated: ToState) => Promise<StatedAbout>

/**
 * @param attesting undefined without a signer
 * @param file in place of the file beside the bundle
 * @throws RlpError as signing and writing do; UsageError for a stored bundle without `file`
 */
export async function stateSigned(
  { name, about, predicate, target }: ToState,
  attesting: Attesting | undefined,
  file: PathGiven | undefined,
  io: Setting,
): Promise<StatedAbout> {
  const { label } = target
  if (attesting === undefined) return { bundle: label, attested: undefined, changed: false }
  const stated = toAttest(name, about, predicate, label)
  const attested = await attesting.attest(stated, attestationFile(target, file, io), io)
  return { bundle: label, attested, changed: attested.changed }
}
