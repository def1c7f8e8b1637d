// A signature and what proves its time → a Sigstore bundle, read again as a verifier reads it before anything is done with it.
import { verify } from 'node:crypto'
import { RlpError } from '../../model/error.ts'
import type { CertificateFacts } from '../../model/keyless.ts'
import { byteLimit, KEYLESS_LIMITS } from '../../model/limits.ts'
import { PAYLOAD_TYPE, preAuthEncoding } from '../../signature/envelope.ts'
import { readCertificate } from '../../sigstore/certificate.ts'
import { readSigstoreBundle, SIGSTORE_BUNDLE_TYPE } from '../../sigstore/sigstore-bundle.ts'
import type { JustSigned, ProofsOfTime } from './proofs.ts'

/** In one line of JSON. */
export function writeMade(
  { payload, signature, certified }: JustSigned,
  { entry, stamp }: ProofsOfTime,
): Uint8Array {
  const stamps = stamp === undefined ? [] : [{ signedTimestamp: Buffer.from(stamp).toString('base64') }]
  return Buffer.from(
    JSON.stringify({
      mediaType: SIGSTORE_BUNDLE_TYPE,
      verificationMaterial: {
        certificate: { rawBytes: Buffer.from(certified.der).toString('base64') },
        tlogEntries: entry === undefined ? [] : [entry],
        timestampVerificationData: { rfc3161Timestamps: stamps },
      },
      dsseEnvelope: {
        payload: Buffer.from(payload).toString('base64'),
        payloadType: PAYLOAD_TYPE,
        signatures: [{ sig: Buffer.from(signature).toString('base64') }],
      },
    }),
  )
}

/** As far as that is possible without a trusted root. @throws RlpError NOT_VERIFIED */
export function checkMade(
  line: Uint8Array,
  { payload, signature, certified }: JustSigned,
  doing: string,
): CertificateFacts {
  const refuse = (why: string) =>
    new RlpError('NOT_VERIFIED', `Cannot ${doing}: what was made would not be accepted: ${why}`, {
      hint: 'Check what kind of services the signing config names',
    })
  if (line.length > KEYLESS_LIMITS.bytes) throw refuse(`it has more than ${byteLimit(KEYLESS_LIMITS.bytes)}`)
  const bundle = readSigstoreBundle(line)
  if (!bundle.ok) throw refuse(bundle.problem)
  if (Buffer.compare(bundle.value.payload, payload) !== 0) throw refuse('it is about something else')
  if (!verify('sha256', preAuthEncoding(bundle.value.payload), certified.key, signature))
    throw refuse('its signature is not one of the key in its certificate')
  const read = readCertificate(bundle.value.certificate)
  if (!read.ok) throw refuse(read.problem)
  return read.facts
}
