// Sigstore bundles around DSSE envelopes, as JSON. Envelopes of ours become one bundle for each signature, because cosign and the libraries
// of Sigstore accept exactly one. Strangers may have written a bundle that is read: nothing here says that any of it is genuine.

import { parseJson } from '../json/parse.ts'
import { byteLimit, KEYLESS_LIMITS } from '../model/limits.ts'
import { isTable, own } from '../model/own.ts'
import { canonicalBase64 } from '../signature/ed25519.ts'
import { PAYLOAD_TYPE, type ReadStrictly, type SignatureEnvelope } from '../signature/envelope.ts'

export const SIGSTORE_BUNDLE_TYPE = 'application/vnd.dev.sigstore.bundle.v0.3+json'

interface SignatureBundle {
  /** Anchor string of the key. */
  readonly signer: string
  /** JSON, with a line end. */
  readonly text: string
}

/** The key itself is not in it: a reader brings the one that he trusts. */
export function signatureBundles({ payload, signatures }: SignatureEnvelope): SignatureBundle[] {
  return signatures.map(({ keyid, sig }) => ({
    signer: keyid,
    text: `${JSON.stringify({
      mediaType: SIGSTORE_BUNDLE_TYPE,
      verificationMaterial: { publicKey: { hint: keyid }, tlogEntries: [] },
      dsseEnvelope: {
        payload: Buffer.from(payload).toString('base64'),
        payloadType: PAYLOAD_TYPE,
        signatures: [{ sig: Buffer.from(sig).toString('base64'), keyid: '' }],
      },
    })}\n`,
  }))
}

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
const CHECKPOINT_SIGNATURES = /\u2014 (\S+) (\S*)/g

type Table = Readonly<Record<string, unknown>>

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
  const payload = readBase64(own(envelope, 'payload'))
  if (payload === undefined) return bad('its payload is not padded base64')
  const signatures = own(envelope, 'signatures')
  if (!areTables(signatures) || signatures.length !== 1) return bad('it has not exactly one signature')
  if (readBase64(own(signatures[0] ?? {}, 'sig')) === undefined)
    return bad('its signature is not padded base64')
  const material = own(value, 'verificationMaterial')
  const shown = isTable(material) ? own(material, 'certificate') : undefined
  const certificate = isTable(shown) ? readBase64(own(shown, 'rawBytes')) : undefined
  if (!isTable(material) || certificate === undefined) return bad('it has no certificate')
  if (certificate.length > KEYLESS_LIMITS.certificateBytes)
    return bad(`its certificate has more than ${byteLimit(KEYLESS_LIMITS.certificateBytes)}`)
  const problem = proofsProblem(material)
  if (problem !== undefined) return bad(problem)
  return { ok: true, value: { payload, certificate, value: value as Record<string, unknown> } }
}

function proofsProblem(material: Table): string | undefined {
  const entries = own(material, 'tlogEntries') ?? []
  const stamped = own(material, 'timestampVerificationData') ?? {}
  const stamps = isTable(stamped) ? (own(stamped, 'rfc3161Timestamps') ?? []) : undefined
  if (!areTables(entries) || !areTables(stamps)) return 'its proofs are no lists of objects'
  if (entries.length > MOST_PROOFS || stamps.length > MOST_PROOFS)
    return `it has more than ${MOST_PROOFS} entries or time stamps`
  const bytes = stamps.map(one => readBase64(own(one, 'signedTimestamp') ?? ''))
  if (!bytes.every(one => one !== undefined)) return 'a time stamp is not padded base64'
  if (bytes.reduce((sum, one) => sum + one.length, 0) > KEYLESS_LIMITS.stampBytes)
    return `its time stamps have more than ${byteLimit(KEYLESS_LIMITS.stampBytes)}`
  if (!entries.every(hasPlainBase64)) return 'a text of its entry is not padded base64'
  return entries.every(hasPlainNames)
    ? undefined
    : 'the checkpoint of its entry is signed by a name of another form'
}

function areTables(value: unknown): value is readonly Table[] {
  return Array.isArray(value) && value.every(isTable)
}

/** The library ignores text after base64, and other readers refuse it. */
function hasPlainBase64(entry: Table): boolean {
  const proof = at(entry, 'inclusionProof')
  const hashes = own(proof, 'hashes') ?? []
  const texts = [
    own(entry, 'canonicalizedBody'),
    own(at(entry, 'logId'), 'keyId'),
    own(at(entry, 'inclusionPromise'), 'signedEntryTimestamp'),
    own(proof, 'rootHash'),
  ]
  return Array.isArray(hashes) && [...texts, ...hashes].every(text => readBase64(text ?? '') !== undefined)
}

function hasPlainNames(entry: Table): boolean {
  const text = own(at(at(entry, 'inclusionProof'), 'checkpoint'), 'envelope')
  if (typeof text !== 'string') return text === undefined || text === null
  const signatures = [...text.matchAll(CHECKPOINT_SIGNATURES)]
  return (
    signatures.length <= MOST_PROOFS &&
    signatures.every(
      ([, name = '', signature = '']) => CHECKPOINT_NAME.test(name) && readBase64(signature) !== undefined,
    )
  )
}

/** A member that is an object; one without members if it is missing or something else. */
function at(table: Table, name: string): Table {
  const value = own(table, name)
  return isTable(value) ? value : {}
}

function readBase64(value: unknown): Uint8Array | undefined {
  const bytes = typeof value === 'string' ? canonicalBase64(value) : undefined
  return bytes && new Uint8Array(bytes)
}

function bad(problem: string): { readonly ok: false; readonly problem: string } {
  return { ok: false, problem }
}
