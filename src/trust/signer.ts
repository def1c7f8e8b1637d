// One trust policy and the keys that signed → the worth of each signature, and what is revoked (docs/spec/judging.md, J-10 and J-11). Pure.

import type { Anchor } from '../model/anchor.ts'
import type { Pointer } from '../model/document.ts'
import type { PolicyLine, SignerFact } from '../model/report.ts'
import type { Revocation, TrustPolicy } from '../model/trust.ts'
import { notCounted } from '../trust-policy/anchor-fields/index.ts'
import { identityString, isMeantAsIdentity } from '../trust-policy/identity-string.ts'
import { isRevoked, revocationOf } from '../trust-policy/revoked.ts'
import { bundleIdentity } from '../version/reference.ts'

/** The revocation of one bundle. It counts for every signer, and for an unsigned bundle too. */
export function revokedBundle(
  policy: TrustPolicy,
  manifestDigest: string,
): { readonly detail: string; readonly at: Pointer } | undefined {
  const revocation = policy.revokedBundles.get(manifestDigest)
  if (revocation === undefined) return undefined
  return {
    detail: `This very bundle is revoked${inWords(revocation)}`,
    at: ['revoked', bundleIdentity(manifestDigest)],
  }
}

/** What is supposed, to find out whether it decided. */
export interface AsIf {
  readonly noneRevoked?: boolean
  readonly noneEnded?: boolean
}

/** On what it depends whether a signature counts. */
export interface Counts extends AsIf {
  readonly allowDev: boolean
  readonly now: Date
}

/** The anchors that count, in the order of the signatures. */
export function countedIn(policy: TrustPolicy, signers: readonly SignerFact[]): ReadonlyMap<string, Anchor> {
  return new Map(
    signers.flatMap(({ is, signer, anchor }) => {
      const owner = is === 'counted' && anchor !== undefined ? ownerOf(policy, signer) : undefined
      return owner === undefined ? [] : [[owner.name, owner]]
    }),
  )
}

/** The anchor that a key belongs to. */
export function ownerOf({ anchors }: TrustPolicy, signer: string): Anchor | undefined {
  return anchors.find(({ keys, identity }) => {
    return keys.includes(signer) || (identity !== undefined && identityString(identity) === signer)
  })
}

export function factOf(policy: TrustPolicy, signer: string, counts: Counts): SignerFact {
  const { allowDev, now, noneRevoked = false, noneEnded = false } = counts
  const anchor = ownerOf(policy, signer)
  const about = { signer, anchor: anchor?.name }
  if (isRevoked(policy, signer) && !noneRevoked) return { ...about, is: 'revoked' }
  if (anchor === undefined) return { ...about, is: 'no anchor' }
  const counting = { act: 'sign', allowDev, now: noneEnded ? undefined : now } as const
  return { ...about, is: 'counted', ...notCounted(anchor, counting) }
}

export function lineOf(policy: TrustPolicy, { signer, anchor, why }: SignerFact): PolicyLine {
  const revocation = revocationOf(policy, signer)
  if (revocation !== undefined) {
    const what = isMeantAsIdentity(signer) ? 'identity' : 'key'
    const whose = anchor === undefined ? `A ${what} of no anchor` : `The ${what} of ${anchor}`
    const at = ['revoked', revocation.name]
    return { at, says: 'against', detail: `${whose} is revoked${inWords(revocation)}` }
  }
  if (anchor === undefined)
    return { at: ['anchors'], says: 'neutral', detail: 'A signature is by a key of no anchor' }
  const at = ['anchors', anchor]
  if (why === undefined) return { at, says: 'for', detail: `${anchor} has signed` }
  return { at, says: 'neutral', detail: `${anchor} has signed${why}, which does not count here` }
}

function inWords({ since, reason, replacedBy }: Revocation): string {
  const words = [since && `since ${since}`, reason, replacedBy && 'replaced by another key']
    .filter(Boolean)
    .join(', ')
  return words === '' ? '' : ` (${words})`
}
