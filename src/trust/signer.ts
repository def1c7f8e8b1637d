// One trust policy and the keys that signed → the worth of each signature, and what is revoked (docs/spec/judging.md, J-10 and J-11). Pure.
import { notCounted } from '../format/trust/anchor-fields/index.ts'
import type { Pointer } from '../model/document.ts'
import type { PolicyLine, SignerFact } from '../model/judged.ts'
import type { Revocation, TrustPolicy } from '../model/trust.ts'

/** The revocation of one bundle. It counts for every signer, and for an unsigned bundle too. */
export function revokedBundle(
  policy: TrustPolicy,
  manifestDigest: string,
): { readonly detail: string; readonly at: Pointer } | undefined {
  const revocation = policy.revokedBundles.get(manifestDigest)
  if (revocation === undefined) return undefined
  return {
    detail: `This very bundle is revoked${inWords(revocation)}`,
    at: ['revoked', `blake3:${manifestDigest}`],
  }
}

export function anchorsOf(signers: readonly SignerFact[], counts: (fact: SignerFact) => boolean): string[] {
  return [...new Set(signers.filter(counts).flatMap(({ anchor }) => anchor ?? []))]
}

/** Whether the signatures of an anchor on bundles count here, as long as its key is not revoked. */
export function mayCount(policy: TrustPolicy, anchor: string | undefined, allowDev: boolean): boolean {
  const named = policy.anchors.find(({ name }) => name === anchor)
  return named !== undefined && notCounted(named, { act: 'sign', allowDev }) === undefined
}

export function factOf(policy: TrustPolicy, signer: string, allowDev: boolean): SignerFact {
  const anchor = policy.anchors.find(({ keys }) => keys.includes(signer))
  const about = { signer, anchor: anchor?.name }
  if (policy.revokedKeys.has(signer)) return { ...about, is: 'revoked' }
  if (anchor === undefined) return { ...about, is: 'no anchor' }
  return { ...about, is: 'counted', ...notCounted(anchor, { act: 'sign', allowDev }) }
}

export function lineOf(policy: TrustPolicy, { signer, anchor, why }: SignerFact): PolicyLine {
  const revocation = policy.revokedKeys.get(signer)
  if (revocation !== undefined) {
    const whose = anchor === undefined ? 'A key of no anchor' : `The key of ${anchor}`
    return { at: ['revoked', signer], says: 'against', detail: `${whose} is revoked${inWords(revocation)}` }
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
