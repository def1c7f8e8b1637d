// The statements that a trust policy requires, as far as keys decide about them (docs/evidence.md). Pure.
import { predicateWord } from '../format/evidence/predicates/index.ts'
import { isAnyOf } from '../format/trust/requirements/attestations.ts'
import type { CountedStatement, LookedInto } from '../model/attestation.ts'
import type { SignerFact } from '../model/judged.ts'
import type { TrustPolicy } from '../model/trust.ts'
import { believedIn, type Evidence } from './believed.ts'

/** Each once, also where several policies require it: `required provenance by ci`. */
export function attestedWords(counted: readonly CountedStatement[]): string[] {
  return [...new Set(counted.map(({ type, by }) => `required ${predicateWord(type)} by ${by.join(' and ')}`))]
}

/** A revoked key that attested what a policy requires. */
export function revokedAttestor(
  policy: TrustPolicy,
  { evidence, allowDev }: { readonly evidence: Evidence; readonly allowDev: boolean },
): SignerFact | undefined {
  const signer = believedIn(policy, evidence, { allowDev, orRevoked: true })
    .filter(one => isRequired(policy, one))
    .flatMap(({ keyids }) => keyids)
    .find(keyid => policy.revokedKeys.has(keyid))
  const anchor = policy.anchors.find(({ keys }) => signer !== undefined && keys.includes(signer))
  return signer === undefined ? undefined : { signer, anchor: anchor?.name, is: 'revoked' }
}

/** Whether an envelope is what a policy requires in one place. */
export function isRequired({ require }: TrustPolicy, one: LookedInto): boolean {
  return isAnyOf(require?.attestations, one)
}
