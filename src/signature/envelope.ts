// SIGNATURES/manifest.sig: a DSSE envelope around an in-toto statement, in the one byte sequence that this serialiser writes
// (docs/spec/signature.md, S-4 to S-10).

import { parseJson } from '../json/parse.ts'
import { byteLimit, MAX_ENVELOPE_BYTES, MAX_SIGNATURES } from '../model/limits.ts'
import { isTable, ownMembers } from '../model/own.ts'
import { canonicalBase64 } from './ed25519.ts'

export const PAYLOAD_TYPE = 'application/vnd.in-toto+json'
export const STATEMENT_TYPE = 'https://in-toto.io/Statement/v1'
export const PREDICATE_TYPE = 'urn:runloop:agent-bundle:v1'
export const SUBJECT = 'manifest.toml'

/** One signature. `keyid` is the anchor string of its key; it says which key to check with, and is not itself trusted. */
export interface EnvelopeSignature {
  readonly keyid: string
  /** 64 bytes. */
  readonly sig: Uint8Array
}

export interface SignatureEnvelope {
  /** The exact bytes that were signed, inside {@link preAuthEncoding}. */
  readonly payload: Uint8Array
  /** Sorted by `keyid`, no key twice. */
  readonly signatures: readonly EnvelopeSignature[]
}

/** A signer's statement about a bundle. */
export interface Statement {
  /** Digests of the manifest's raw bytes, lower-case hex. */
  readonly blake3: string
  readonly sha256: string
  readonly agent: { readonly name: string; readonly version: string; readonly variant?: string }
  /** A UTC second, `2027-11-20T00:00:00Z`. */
  readonly notAfter?: string
}

/** DSSE's pre-authentication encoding: the bytes that are signed. */
export function preAuthEncoding(payload: Uint8Array, type: string = PAYLOAD_TYPE): Uint8Array {
  return Buffer.concat([Buffer.from(`DSSEv1 ${type.length} ${type} ${payload.length} `), payload])
}

export function writeEnvelope(
  { payload, signatures }: SignatureEnvelope,
  payloadType: string = PAYLOAD_TYPE,
): Uint8Array {
  return Buffer.from(
    JSON.stringify({
      payloadType,
      payload: Buffer.from(payload).toString('base64'),
      signatures: [...signatures]
        .sort((a, b) => (a.keyid < b.keyid ? -1 : a.keyid > b.keyid ? 1 : 0))
        .map(({ keyid, sig }) => ({ keyid, sig: Buffer.from(sig).toString('base64') })),
    }),
  )
}

export function writeStatement(statement: Statement): Uint8Array {
  const { blake3, sha256, agent, notAfter } = ownMembers(statement)
  const { name, version, variant } = ownMembers(agent)
  return Buffer.from(
    JSON.stringify({
      _type: STATEMENT_TYPE,
      subject: [{ name: SUBJECT, digest: { blake3, sha256 } }],
      predicateType: PREDICATE_TYPE,
      predicate: {
        agent: { name, version, ...(variant !== undefined && { variant }) },
        ...(notAfter !== undefined && { notAfter }),
      },
    }),
  )
}

export type ReadStrictly<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly problem: string }

/** What an envelope may be, beside the form that all have. */
interface EnvelopeForm {
  readonly payloadType: string
  /** Signatures that it has at least, and at most. */
  readonly least: number
  readonly most: number
}

const OF_BUNDLES: EnvelopeForm = { payloadType: PAYLOAD_TYPE, least: 1, most: MAX_SIGNATURES }

/**
 * Reads an envelope strictly: its content is written again, and every byte must be equal. So no envelope can be read in two ways, or
 * changed while its signatures keep their meaning. The payload is any statement.
 */
export function readEnvelope(
  bytes: Uint8Array,
  mostBytes = MAX_ENVELOPE_BYTES,
  form = OF_BUNDLES,
): ReadStrictly<SignatureEnvelope> {
  if (bytes.length > mostBytes)
    return bad(`it has ${bytes.length} bytes; an envelope has at most ${byteLimit(mostBytes)}`)
  const parsed = parseJson('manifest.sig', bytes)
  if (!parsed.ok) return bad(parsed.problem.message)
  const root = members(parsed.document.value)
  if (root === undefined) return bad('it is not an object')
  const { payloadType, payload, signatures } = root
  if (payloadType !== form.payloadType) return bad(`its payload type is not ${form.payloadType}`)
  const payloadBytes = typeof payload === 'string' ? canonicalBase64(payload) : undefined
  if (payloadBytes === undefined) return bad('its payload is not padded base64')
  if (!Array.isArray(signatures) || signatures.length < form.least) return bad('it has no signatures')
  if (signatures.length > form.most) return bad(`it has more than ${form.most} signatures`)
  const read: EnvelopeSignature[] = []
  for (const signature of signatures) {
    const { keyid, sig } = members(signature) ?? {}
    const sigBytes = typeof sig === 'string' ? canonicalBase64(sig) : undefined
    if (typeof keyid !== 'string' || sigBytes?.length !== 64)
      return bad('a signature is not { keyid, sig } with 64 bytes')
    read.push({ keyid, sig: new Uint8Array(sigBytes) })
  }
  const keyids = read.map(({ keyid }) => keyid)
  if (new Set(keyids).size !== keyids.length) return bad('a key appears twice')
  const value = { payload: new Uint8Array(payloadBytes), signatures: read }
  return Buffer.compare(writeEnvelope(value, form.payloadType), bytes) === 0
    ? { ok: true, value }
    : bad('it is not in canonical form')
}

/** Reads a statement as strictly as an envelope. */
export function readStatement(payload: Uint8Array): ReadStrictly<Statement> {
  const parsed = parseJson('statement', payload)
  if (!parsed.ok) return bad(parsed.problem.message)
  const root = members(parsed.document.value)
  const subject =
    Array.isArray(root?.['subject']) && root['subject'].length === 1 ? members(root['subject'][0]) : undefined
  const digest = members(subject?.['digest'])
  const predicate = members(root?.['predicate'])
  const agent = members(predicate?.['agent'])
  if (root?.['_type'] !== STATEMENT_TYPE) return bad('it is not an in-toto statement, version 1')
  if (root['predicateType'] !== PREDICATE_TYPE) return bad(`its predicate is not ${PREDICATE_TYPE}`)
  if (subject?.['name'] !== SUBJECT || digest === undefined) return bad(`it is not about ${SUBJECT}`)
  const { blake3, sha256 } = digest
  if (!isHex(blake3) || !isHex(sha256)) return bad('its digests are not blake3 and sha256 in lower-case hex')
  const { name, version, variant } = agent ?? {}
  if (typeof name !== 'string' || typeof version !== 'string') return bad('it names no agent with a version')
  if (variant !== undefined && typeof variant !== 'string') return bad('its variant is not a text')
  const notAfter = predicate?.['notAfter']
  if (notAfter !== undefined && !isUtcSecond(notAfter)) return bad('its notAfter is not a UTC second')
  const value: Statement = ownMembers({
    blake3,
    sha256,
    agent: ownMembers({ name, version, ...(variant !== undefined && { variant }) }),
    ...(notAfter !== undefined && { notAfter }),
  })
  return Buffer.compare(writeStatement(value), payload) === 0
    ? { ok: true, value }
    : bad('it is not in canonical form')
}

/** `YYYY-MM-DDTHH:MM:SSZ`, and a date that exists. */
export function isUtcSecond(text: unknown): text is string {
  if (typeof text !== 'string' || !/^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}Z$/.test(text))
    return false
  const time = Date.parse(text)
  return !Number.isNaN(time) && new Date(time).toISOString() === text.replace('Z', '.000Z')
}

function isHex(value: unknown): value is string {
  return typeof value === 'string' && /^[0-9a-f]{64}$/.test(value)
}

function members(value: unknown): Readonly<Record<string, unknown>> | undefined {
  return isTable(value) ? ownMembers(value) : undefined
}

function bad(problem: string): { readonly ok: false; readonly problem: string } {
  return { ok: false, problem }
}
