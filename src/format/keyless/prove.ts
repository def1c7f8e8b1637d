// A Sigstore bundle and a trusted root → its proof, or why there is none. The one file that uses the libraries of Sigstore for judging; it is loaded where
// a trust policy names an identity and a bundle came with a certificate that claims it (docs/keyless.md).
import { type Bundle, bundleFromJSON } from '@sigstore/bundle'
import { RFC3161Timestamp, X509Certificate } from '@sigstore/core'
import { TrustedRoot as Root } from '@sigstore/protobuf-specs'
import { toSignedEntity, toTrustMaterial, VerificationError, Verifier } from '@sigstore/verify'
import type { KeylessProof, KeylessProven, TrustedRoot } from '../../model/keyless.ts'
import { parseJson } from '../json/parse.ts'
import { utcSecond } from '../text/utc-second.ts'
import type { SigstoreBundle } from './sigstore-bundle.ts'

/** The authorities of a trusted root. */
export type Authorities = Pick<Verifier, 'verify'>

/** Undefined for bytes that are no trusted root. */
export function authoritiesOf({ bytes }: TrustedRoot): Authorities | undefined {
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
    // What is verified is what was read.
    if (!isSame(parsed, bundle))
      throw new VerificationError({ code: 'SIGNATURE_ERROR', message: 'two readings differ' })
    authorities.verify(toSignedEntity(parsed))
    return proofOf(parsed)
  })
  return 'problem' in read ? { problem: `not proven: ${read.problem}` } : { proof: read.value }
}

function isSame(
  { content, verificationMaterial }: Bundle,
  { payload, certificate }: SigstoreBundle,
): boolean {
  if (content?.$case !== 'dsseEnvelope' || verificationMaterial.content?.$case !== 'certificate') return false
  const { rawBytes } = verificationMaterial.content.certificate
  const der = X509Certificate.parse(Buffer.from(rawBytes)).tbsCertificate.toDER()
  return (
    Buffer.compare(content.dsseEnvelope.payload, payload) === 0 &&
    Buffer.compare(rawBytes, certificate) === 0 &&
    // The signature of its authority is checked over what the library writes again.
    Buffer.from(certificate).includes(der)
  )
}

/** Of a bundle that was verified. */
function proofOf({ verificationMaterial }: Bundle): KeylessProof {
  const { tlogEntries, timestampVerificationData } = verificationMaterial
  const logged = tlogEntries.filter(({ inclusionPromise }) => inclusionPromise !== undefined)
  const times = [
    ...logged.map(({ integratedTime }) => Number(integratedTime) * 1000),
    ...(timestampVerificationData?.rfc3161Timestamps ?? []).map(({ signedTimestamp }) =>
      RFC3161Timestamp.parse(Buffer.from(signedTimestamp)).signingTime.getTime(),
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
