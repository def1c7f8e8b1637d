// What came with a bundle, and one trust policy → what of it is believed (docs/evidence.md). Pure. Nothing is parsed before a key has signed
// it that the policy lets attest.
import { readAttestation } from '../format/evidence/lines.ts'
import { isAboutManifest, readAttested } from '../format/evidence/statement.ts'
import { type EnvelopeSignature, preAuthEncoding } from '../format/signature/envelope.ts'
import { isSignature, readAnchor } from '../format/signature/kinds/index.ts'
import { notCounted } from '../format/trust/anchor-fields/index.ts'
import type { AttestationBytes, Attestations, LookedInto } from '../model/attestation.ts'
import type { TrustPolicy } from '../model/trust.ts'
import type { AsIf } from './signer.ts'

/** What came with a bundle, and the bundle that it has to be about. Digests of the manifest, lower-case hex. */
export interface Evidence {
  readonly attestations: Attestations | undefined
  readonly manifest: { readonly blake3: string; readonly sha256: string }
}

/** Who attests under a policy. */
export interface Believing extends AsIf {
  readonly allowDev: boolean
  readonly now: Date
}

export function believedIn(
  policy: TrustPolicy,
  { attestations, manifest }: Evidence,
  believing: Believing,
): readonly LookedInto[] {
  return (attestations?.envelopes ?? []).map(one => lookAt(policy, one, manifest, believing))
}

const UNSIGNED = { by: [], keyids: [] }

function lookAt(
  policy: TrustPolicy,
  { where, bytes }: AttestationBytes,
  manifest: Evidence['manifest'],
  believing: Believing,
): LookedInto {
  const not = (problem: string, signed: Pick<LookedInto, 'by' | 'keyids'> = UNSIGNED): LookedInto => {
    return { where, ...signed, statement: undefined, isAbout: false, problem }
  }
  const envelope = readAttestation(bytes)
  if (!envelope.ok) return not(`no envelope of this form: ${envelope.problem}`)
  const { payload, signatures } = envelope.value
  const named = signatures.flatMap(signature => {
    const anchor = attestor(policy, signature.keyid, believing)
    return anchor === undefined ? [] : [{ anchor, signature }]
  })
  if (named.length === 0) {
    const isRevoked = signatures.some(({ keyid }) => policy.revokedKeys.has(keyid))
    return not(`signed by ${isRevoked ? 'a revoked key' : 'no key that attests here'}`)
  }
  const message = preAuthEncoding(payload)
  const genuine = named.filter(({ signature }) => isGenuine(signature, message))
  if (genuine.length === 0) return not('not signed by the key that it names')
  const signed = {
    by: [...new Set(genuine.map(({ anchor }) => anchor))],
    keyids: genuine.map(({ signature }) => signature.keyid),
  }
  const read = readAttested(payload)
  if (!read.ok) return not(`no statement: ${read.problem}`, signed)
  const isAbout = isAboutManifest(read.value, manifest)
  const problem = isAbout ? undefined : 'about another manifest.toml'
  return { where, ...signed, statement: read.value, isAbout, problem }
}

/** The anchor that a key belongs to, if it attests. */
function attestor(
  { anchors, revokedKeys }: TrustPolicy,
  keyid: string,
  { allowDev, now, noneRevoked = false, noneEnded = false }: Believing,
): string | undefined {
  if (revokedKeys.has(keyid) && !noneRevoked) return undefined
  const anchor = anchors.find(({ keys }) => keys.includes(keyid))
  const counting = { act: 'attest', allowDev, now: noneEnded ? undefined : now } as const
  return anchor !== undefined && notCounted(anchor, counting) === undefined ? anchor.name : undefined
}

function isGenuine({ keyid, sig }: EnvelopeSignature, message: Uint8Array): boolean {
  const anchor = readAnchor(keyid)
  return 'key' in anchor && isSignature(anchor.key, message, sig)
}
