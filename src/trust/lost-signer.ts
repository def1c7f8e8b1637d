// A bundle that a trust policy refuses → whose signature would have been enough, had no key been revoked or no anchor ended (docs/spec/judging.md, J-18 and J-19). Pure.

import type { Anchor } from '../model/anchor.ts'
import type { SignerFact } from '../model/report.ts'
import type { TrustPolicy } from '../model/trust.ts'
import { isRevoked } from '../trust-policy/revoked.ts'
import { attestors } from './attested.ts'
import type { TrustFacts } from './facts.ts'
import { type AsIf, ownerOf } from './signer.ts'

export const NONE_REVOKED: AsIf = { noneRevoked: true }
export const NONE_ENDED: AsIf = { noneEnded: true }

/** A revoked key that would count. @param signers as if none were revoked */
export function revokedSigner(
  policy: TrustPolicy,
  signers: readonly SignerFact[],
  facts: TrustFacts,
): SignerFact | undefined {
  const isOut = (signer: string) => isRevoked(policy, signer)
  const signer =
    signers.find(({ is, signer }) => is === 'counted' && isOut(signer))?.signer ??
    attestors(policy, facts, NONE_REVOKED).find(isOut)
  if (signer === undefined) return undefined
  return { signer, anchor: ownerOf(policy, signer)?.name, is: 'revoked' }
}

/** An anchor that has signed, or attested what is required, and has ended. */
export function endedAnchor(
  policy: TrustPolicy,
  signers: readonly SignerFact[],
  facts: TrustFacts,
): Anchor | undefined {
  const ended = signers.find(({ is }) => is === 'an ended key')
  if (ended !== undefined) return ownerOf(policy, ended.signer)
  const owners = attestors(policy, facts, NONE_ENDED).flatMap(key => ownerOf(policy, key) ?? [])
  return owners.find(({ until }) => until !== undefined && facts.now.getTime() > Date.parse(until))
}
