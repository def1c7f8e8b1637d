// A Sigstore bundle and a trusted root → its proof, or why there is none. For judging, this file alone uses the libraries of Sigstore. They are large, so it
// is loaded only if a bundle came with a certificate that claims an identity of a trust policy (docs/keyless.md).
import { type Bundle, bundleFromJSON } from '@sigstore/bundle'
import { TrustedRoot as Root } from '@sigstore/protobuf-specs'
import { toSignedEntity, toTrustMaterial, VerificationError, Verifier } from '@sigstore/verify'
import { parseJson } from '../json/parse.ts'
import type { KeylessProof, KeylessProven, TrustedRoot } from '../model/keyless.ts'
import { utcSecond } from '../text/time.ts'
import type { SigstoreBundle } from './sigstore-bundle.ts'

/** The authorities of a trusted root. */
export type Authorities = Pick<Verifier, 'verify'>

/** The last one: a host judges all its bundles by the same root, and reading it takes as long as a proof. */
let known: { readonly blake3: string; readonly authorities: Authorities | undefined } | undefined

/** Undefined for bytes that are no trusted root. */
export function authoritiesOf(root: TrustedRoot): Authorities | undefined {
  const { blake3 } = root
  if (known?.blake3 !== blake3) known = { blake3, authorities: readAuthorities(root) }
  return known.authorities
}

function readAuthorities({ bytes }: TrustedRoot): Authorities | undefined {
  const parsed = parseJson('root', bytes)
  if (!parsed.ok) return undefined
  const { value } = parsed.document
  const read = attempt(() => toTrustMaterial(Root.fromJSON(value)))
  if ('problem' in read) return undefined
  const { certificateAuthorities, ctlogs, tlogs } = read.value
  const isEmpty = certificateAuthorities.some(({ certChain }) => certChain.length === 0)
  if (certificateAuthorities.length === 0 || isEmpty) return undefined
  // What a root does not have cannot be asked for. A proof of time is always asked for.
  return new Verifier(read.value, {
    ctlogThreshold: ctlogs.length > 0 ? 1 : 0,
    tlogThreshold: tlogs.length > 0 ? 1 : 0,
    timestampThreshold: 1,
  })
}

/** Whether it was signed by the key of its certificate, at a time at which an authority of the root vouched for it. Whose it is is not asked. */
export function prove(authorities: Authorities, bundle: SigstoreBundle): KeylessProven {
  const read = attempt(() => {
    const parsed = bundleFromJSON(bundle.value)
    const entity = toSignedEntity(parsed)
    // What is verified is what was read.
    if (!isSame(parsed, entity, bundle))
      throw new VerificationError({ code: 'SIGNATURE_ERROR', message: 'two readings differ' })
    if (!parsed.verificationMaterial.tlogEntries.every(saysOneSize))
      throw new VerificationError({ code: 'TLOG_ERROR', message: 'its proof and its checkpoint differ' })
    authorities.verify(entity)
    return proofOf(parsed, entity)
  })
  return 'problem' in read ? { problem: `not proven: ${read.problem}` } : { proof: read.value }
}

type Entity = ReturnType<typeof toSignedEntity>

function isSame(
  { content, verificationMaterial }: Bundle,
  { key }: Entity,
  { payload, certificate }: SigstoreBundle,
): boolean {
  if (content?.$case !== 'dsseEnvelope' || verificationMaterial.content?.$case !== 'certificate') return false
  if (key.$case !== 'certificate') return false
  const { rawBytes } = verificationMaterial.content.certificate
  // The signature of its authority is checked over what the library writes again: the first part, behind the head of the whole.
  const at = Buffer.from(certificate).indexOf(key.certificate.tbsCertificate.toDER())
  return (
    Buffer.compare(content.dsseEnvelope.payload, payload) === 0 &&
    Buffer.compare(rawBytes, certificate) === 0 &&
    at > 0 &&
    at <= MOST_HEAD_BYTES
  )
}

/** The library uses the size and the root of the checkpoint alone, and others those of the proof. */
function saysOneSize({ inclusionProof }: Bundle['verificationMaterial']['tlogEntries'][number]): boolean {
  if (inclusionProof === undefined) return true
  const { treeSize, rootHash, checkpoint } = inclusionProof
  const [, size, root] = checkpoint?.envelope.split('\n') ?? []
  return size === treeSize && root === rootHash.toString('base64')
}

/** A tag, and a length of up to three bytes. */
const MOST_HEAD_BYTES = 5

/** Of a bundle that was verified. */
function proofOf({ verificationMaterial: { tlogEntries } }: Bundle, { timestamps }: Entity): KeylessProof {
  // Only an entry with a promise says a time, and the library counts no other.
  const logged = tlogEntries.filter(({ inclusionPromise }) => inclusionPromise !== undefined)
  const times = [
    ...logged.map(({ integratedTime }) => Number(integratedTime) * 1000),
    ...timestamps.flatMap(one =>
      one.$case === 'timestamp-authority' ? one.timestamp.signingTime.getTime() : [],
    ),
  ].filter(time => time > 0)
  return { logIndex: tlogEntries[0]?.logIndex, time: utcSecond(new Date(Math.min(...times))) }
}

/** The libraries throw whatever their parsers come upon, for bytes of strangers. Any of it means the same: this is no proof. */
function attempt<T>(work: () => T): { readonly value: T } | { readonly problem: string } {
  try {
    return { value: work() }
  } catch (error) {
    const isTheirs = error instanceof VerificationError
    return { problem: isTheirs ? error.message.slice(0, 200) : 'it cannot be read' }
  }
}
