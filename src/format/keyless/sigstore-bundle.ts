// One Sigstore bundle around a DSSE envelope, as JSON → what it signs, and the certificate that it shows. Strangers may have written it: nothing here says
// that any of it is genuine.
import { byteLimit, KEYLESS_LIMITS } from '../../model/limits.ts'
import { isTable, own } from '../../model/own.ts'
import { parseJson } from '../json/parse.ts'
import { canonicalBase64 } from '../signature/ed25519.ts'
import { PAYLOAD_TYPE, type ReadStrictly } from '../signature/envelope.ts'
import { SIGSTORE_BUNDLE_TYPE } from '../signature/sigstore-bundle.ts'

export interface SigstoreBundle {
  /** The exact bytes that are signed, inside the pre-authentication encoding. */
  readonly payload: Uint8Array
  /** DER. */
  readonly certificate: Uint8Array
  /** The whole of it, as it was parsed. */
  readonly value: Readonly<Record<string, unknown>>
}

/** Each costs a verification of a chain. */
const MOST_PROOFS = 4
/** The library makes a pattern of the name of who signed a checkpoint. */
const CHECKPOINT_NAME = /^[A-Za-z0-9.:/_-]+$/
const CHECKPOINT_NAMES = /\u2014 (\S+) /g

export function readSigstoreBundle(bytes: Uint8Array): ReadStrictly<SigstoreBundle> {
  // Also of one that is only filled up with white space.
  if (bytes.length > KEYLESS_LIMITS.bytes) return bad(`it has more than ${byteLimit(KEYLESS_LIMITS.bytes)}`)
  const parsed = parseJson('bundle', bytes)
  if (!parsed.ok) return bad(`it is no JSON: ${parsed.problem.message}`)
  const { value } = parsed.document
  if (!isTable(value)) return bad('it is not an object')
  const mediaType = own(value, 'mediaType')
  if (mediaType !== SIGSTORE_BUNDLE_TYPE) return bad(`its mediaType is not ${SIGSTORE_BUNDLE_TYPE}`)
  const envelope = own(value, 'dsseEnvelope')
  if (!isTable(envelope)) return bad('it is not one around an envelope')
  if (own(envelope, 'payloadType') !== PAYLOAD_TYPE) return bad(`its payload type is not ${PAYLOAD_TYPE}`)
  const payload = base64(own(envelope, 'payload'))
  if (payload === undefined) return bad('its payload is not padded base64')
  const signatures = own(envelope, 'signatures')
  if (!Array.isArray(signatures) || signatures.length !== 1) return bad('it has not exactly one signature')
  const material = own(value, 'verificationMaterial')
  const shown = isTable(material) ? own(material, 'certificate') : undefined
  const certificate = isTable(shown) ? base64(own(shown, 'rawBytes')) : undefined
  if (!isTable(material) || certificate === undefined) return bad('it has no certificate')
  if (certificate.length > KEYLESS_LIMITS.certificateBytes)
    return bad(`its certificate has more than ${byteLimit(KEYLESS_LIMITS.certificateBytes)}`)
  const problem = proofsProblem(material)
  if (problem !== undefined) return bad(problem)
  return { ok: true, value: { payload, certificate, value: value as Record<string, unknown> } }
}

function proofsProblem(material: Readonly<Record<string, unknown>>): string | undefined {
  const entries = own(material, 'tlogEntries') ?? []
  const stamped = own(material, 'timestampVerificationData') ?? {}
  const stamps = (isTable(stamped) ? own(stamped, 'rfc3161Timestamps') : undefined) ?? []
  if (!Array.isArray(entries) || !Array.isArray(stamps)) return 'its proofs are no lists'
  if (entries.length > MOST_PROOFS || stamps.length > MOST_PROOFS)
    return `it has more than ${MOST_PROOFS} entries or time stamps`
  const size = stamps.reduce((sum: number, one: unknown) => sum + stampLength(one), 0)
  if (size > KEYLESS_LIMITS.stampBytes)
    return `its time stamps have more than ${byteLimit(KEYLESS_LIMITS.stampBytes)}`
  return entries.every(entry => isTable(entry) && hasPlainNames(entry))
    ? undefined
    : 'the checkpoint of its entry is signed by a name of another form'
}

/** In bytes, by its base64: what fills it up at its end is none of them. */
function stampLength(stamp: unknown): number {
  const text = isTable(stamp) ? own(stamp, 'signedTimestamp') : undefined
  return typeof text === 'string' ? Buffer.byteLength(text, 'base64') : 0
}

function hasPlainNames(entry: Readonly<Record<string, unknown>>): boolean {
  const proof = own(entry, 'inclusionProof')
  const checkpoint = isTable(proof) ? own(proof, 'checkpoint') : undefined
  const text = isTable(checkpoint) ? own(checkpoint, 'envelope') : undefined
  if (typeof text !== 'string') return text === undefined
  const names = [...text.matchAll(CHECKPOINT_NAMES)]
  return names.length <= MOST_PROOFS && names.every(([, name = '']) => CHECKPOINT_NAME.test(name))
}

function base64(value: unknown): Uint8Array | undefined {
  const bytes = typeof value === 'string' ? canonicalBase64(value) : undefined
  return bytes && new Uint8Array(bytes)
}

function bad(problem: string): { readonly ok: false; readonly problem: string } {
  return { ok: false, problem }
}
