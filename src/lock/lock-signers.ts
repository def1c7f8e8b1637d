// Who signed what a lock pins, and who signs what takes its place, in words. People know signers by the names of the trust policies. Pure.

import type { LockedAgent } from '../model/lock.ts'
import type { PolicySource } from '../model/trust.ts'
import type { StatedEnd } from '../signature/stated-end.ts'
import { ownerOf } from '../trust/signer.ts'

type Policies = readonly PolicySource[]

/** `release (ed25519:…)`, or the key alone if no policy names it. */
function named(signer: string, policies: Policies): string {
  const [name] = policies.flatMap(({ policy }) => (policy && ownerOf(policy, signer)?.name) ?? [])
  return name === undefined ? signer : `${name} (${signer})`
}

/** Who signs both, and until when. */
export interface SignedBoth {
  readonly before: Pick<LockedAgent, 'signers'>
  readonly after: Pick<LockedAgent, 'signers'>
  /** Undefined if the locked bundle was not found. */
  readonly endedBefore: StatedEnd | undefined
  readonly endsAfter: string | undefined
  readonly policies: Policies
}

/** Each continues after the agent's name. */
export function signatureChanges({ before, after, endedBefore, endsAfter, policies }: SignedBoth): string[] {
  const less = (list: readonly string[], other: readonly string[]) => list.filter(one => !other.includes(one))
  return [
    ...less(before.signers, after.signers).map(one => `is not signed by ${named(one, policies)} any more`),
    ...less(after.signers, before.signers).map(one => `is signed by ${named(one, policies)} now`),
    ...endChange(endedBefore, endsAfter),
  ]
}

function endChange(before: StatedEnd | undefined, after: string | undefined): string[] {
  if (before === undefined || before.notAfter === after) return []
  const ends = (end: string | undefined) => (end === undefined ? 'do not end' : `end at ${end}`)
  return [`has signatures that ${ends(after)}; those that are locked ${ends(before.notAfter)}`]
}

/**
 * Why another signer needs a yes.
 * @param lost signers that the lock lists, without a successor
 */
export function signerConcern(
  lost: readonly string[],
  old: Pick<LockedAgent, 'signers'>,
  now: Pick<LockedAgent, 'signers'>,
  policies: Policies,
): { readonly message: string; readonly hint: string } {
  const who = lost.map(one => named(one, policies)).join(' and ')
  const isRevoked = lost.some(one => policies.some(({ policy }) => policy?.revokedKeys.has(one)))
  const others = now.signers.filter(one => !old.signers.includes(one)).map(one => named(one, policies))
  const instead = others.length === 0 ? '' : `; ${others.join(' and ')} has signed it`
  const state = isRevoked ? 'does not count, because the key is revoked' : 'is missing'
  const ask = isRevoked
    ? `Ask ${others.length === 0 ? 'the other signers' : 'the new signer'}, by another way than you got the bundle, whether they vouch for it`
    : `Ask the former signer, by another way than you got the bundle, whether this is right`
  return {
    message: `The signature of ${who}, which the lock lists, ${state}${instead}`,
    hint: `${ask}. If the change is intended, --allow-signer-change takes it into the lock`,
  }
}
