// One trust policy and the keys that signed → the worth of each signature, and what is revoked (docs/spec/judging.md, J-10 and J-11). Pure.
import { maySign } from '../format/trust/anchors.ts'
import type { Pointer } from '../model/document.ts'
import type { Revocation, TrustPolicy } from '../model/trust.ts'

/** The result for one signature. */
export interface SignerFact {
  readonly signer: string
  readonly anchor: string | undefined
  readonly is: 'counted' | 'no anchor' | 'revoked' | 'an attesting key' | 'a development key'
}

/** What one line of the policy says about the bundle. */
export interface PolicyLine {
  readonly at: Pointer
  /** `neutral`: it neither helps nor hinders. */
  readonly says: 'for' | 'against' | 'neutral'
  /** One sentence without a full stop. */
  readonly detail: string
}

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
  return policy.anchors.some(one => one.name === anchor && maySign(one) && (allowDev || !one.allowDev))
}

export function factOf(policy: TrustPolicy, signer: string, allowDev: boolean): SignerFact {
  const anchor = policy.anchors.find(({ keys }) => keys.includes(signer))
  const about = { signer, anchor: anchor?.name }
  if (policy.revokedKeys.has(signer)) return { ...about, is: 'revoked' }
  if (anchor === undefined) return { ...about, is: 'no anchor' }
  if (!maySign(anchor)) return { ...about, is: 'an attesting key' }
  return { ...about, is: anchor.allowDev && !allowDev ? 'a development key' : 'counted' }
}

export function lineOf(policy: TrustPolicy, { signer, anchor, is }: SignerFact): PolicyLine {
  const revocation = policy.revokedKeys.get(signer)
  if (revocation !== undefined) {
    const whose = anchor === undefined ? 'A key of no anchor' : `The key of ${anchor}`
    return { at: ['revoked', signer], says: 'against', detail: `${whose} is revoked${inWords(revocation)}` }
  }
  if (anchor === undefined)
    return { at: ['anchors'], says: 'neutral', detail: 'A signature is by a key of no anchor' }
  const at = ['anchors', anchor]
  if (is === 'counted') return { at, says: 'for', detail: `${anchor} has signed` }
  const why =
    is === 'an attesting key'
      ? `${anchor} has signed, but its keys only attest, which does not count here`
      : `${anchor} has signed with a development key, which does not count here`
  return { at, says: 'neutral', detail: why }
}

function inWords({ since, reason, replacedBy }: Revocation): string {
  const words = [since && `since ${since}`, reason, replacedBy && 'replaced by another key']
    .filter(Boolean)
    .join(', ')
  return words === '' ? '' : ` (${words})`
}
