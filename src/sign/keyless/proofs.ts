// Gets proof of when a signature was made, an entry in the log, a time stamp, or both, and writes the Sigstore bundle, which is read again
// as a verifier reads it. This file alone uses @sigstore/sign: it builds the requests; the client that sends them is ours
// (docs/architecture.md).
import { hash, verify } from 'node:crypto'
import { toCreateEntryRequest, toProposedEntry } from '@sigstore/sign/dist/witness/tlog/entry.js'
import { RlpError } from '../../model/error.ts'
import type { CertificateFacts } from '../../model/keyless.ts'
import { byteLimit, KEYLESS_LIMITS } from '../../model/limits.ts'
import { isTable, own } from '../../model/own.ts'
import { PAYLOAD_TYPE, preAuthEncoding } from '../../signature/envelope.ts'
import { readCertificate } from '../../sigstore/certificate.ts'
import type { SigningServices } from '../../sigstore/signing-config.ts'
import { readSigstoreBundle, SIGSTORE_BUNDLE_TYPE } from '../../sigstore/sigstore-bundle.ts'
import { type LogEntry, readEntry1, readEntry2, readTimeStamp } from '../../sigstore/time-proofs.ts'
import { utcSecond } from '../../text/time.ts'
import { below, type Certified } from './certificate.ts'
import {
  answerMalformed,
  clockOff,
  type ServiceQuestion,
  type SigningExchange,
  serviceAnswer,
  serviceNamed,
} from './service.ts'

/** A proof by a service whose clock differs so much from ours is of no use. */
const FAR_MS = 300_000
const JSON_HEADERS = { 'content-type': 'application/json', accept: 'application/json' }
const ENTRIES = { 1: 'api/v1/log/entries', 2: 'api/v2/log/entries' } as const

interface JustSigned {
  readonly payload: Uint8Array
  readonly signature: Uint8Array
  readonly certified: Certified
}

interface ProofsOfTime {
  readonly entry: LogEntry | undefined
  /** The answer of the time stamp authority. */
  readonly stamp: Uint8Array | undefined
  /** Milliseconds since 1970; the earliest that is proven. */
  readonly time: number
}

/** @throws RlpError as {@link serviceAnswer}; SIGNER for a proof of something else, and for a time outside the certificate's or far from ours */
export async function proveTime(
  signed: JustSigned,
  { rekor, tsa }: SigningServices,
  exchange: SigningExchange,
  now: () => Date,
): Promise<ProofsOfTime> {
  const [recorded, stamped] = await Promise.all([
    rekor && recordedIn(signed, rekor, exchange, now),
    tsa && stampedBy(signed, tsa, exchange, now),
  ])
  const times = [recorded?.time, stamped?.time].filter(time => time !== undefined)
  return { entry: recorded?.entry, stamp: stamped?.bytes, time: Math.min(...times) }
}

async function recordedIn(
  signed: JustSigned,
  { url, version }: NonNullable<SigningServices['rekor']>,
  exchange: SigningExchange,
  now: () => Date,
) {
  const question: ServiceQuestion = {
    service: 'Rekor',
    method: 'POST',
    url: below(url, ENTRIES[version]),
    mostBytes: KEYLESS_LIMITS.bytes,
    headers: JSON_HEADERS,
    takes: 409,
    body: entryRequest(signed, version),
    hint: 'Check that the address is one of Rekor, of the version that the signing config says',
  }
  const answer = await serviceAnswer(question, exchange)
  const { bytes } =
    answer.status === 409 ? await entryAt(question, answer.headers.location, exchange) : answer
  const read = (version === 1 ? readEntry1 : readEntry2)(bytes, signed)
  if ('problem' in read) throw answerMalformed(question, exchange, read.problem)
  const { entry } = read
  if (entry.integratedTime === undefined) return { entry, time: undefined }
  const time = Number(entry.integratedTime) * 1000
  refuseTime(time, signed.certified, question, exchange, now())
  return { entry, time }
}

/** A request that was sent again finds its own entry there. */
async function entryAt(question: ServiceQuestion, location: string | undefined, exchange: SigningExchange) {
  const { url, service, mostBytes, hint } = question
  const uuid = /\/([0-9a-f]{64,80})$/.exec(location ?? '')?.[1]
  if (uuid === undefined)
    throw answerMalformed(question, exchange, 'the log has such an entry, and does not say where')
  const entry = new URL(url)
  entry.pathname += `/${uuid}`
  return serviceAnswer(
    { service, method: 'GET', url: entry, mostBytes, headers: JSON_HEADERS, hint },
    exchange,
  )
}

async function stampedBy(
  { signature, certified }: JustSigned,
  url: URL,
  exchange: SigningExchange,
  now: () => Date,
): Promise<{ readonly bytes: Uint8Array; readonly time: number }> {
  const digest = hash('sha256', signature, 'base64')
  const question: ServiceQuestion = {
    service: 'The time stamp authority',
    method: 'POST',
    url,
    mostBytes: KEYLESS_LIMITS.stampBytes,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ artifactHash: digest, hashAlgorithm: 'sha256' }),
    hint: 'Check that the address in the signing config is one of a time stamp authority',
  }
  const { bytes } = await serviceAnswer(question, exchange)
  const stamp = readTimeStamp(bytes)
  if (stamp === undefined) throw answerMalformed(question, exchange, 'it is no time stamp')
  if (Buffer.from(stamp.digest).toString('base64') !== digest)
    throw answerMalformed(question, exchange, 'it is a time stamp of something else')
  refuseTime(stamp.time, certified, question, exchange, now())
  return { bytes, time: stamp.time }
}

/** Who verifies asks whether the certificate was valid then. */
function refuseTime(
  time: number,
  { from, until }: Certified,
  question: ServiceQuestion,
  exchange: SigningExchange,
  now: Date,
): void {
  const said = `${serviceNamed(question)} says that it is ${utcSecond(new Date(time))}`
  if (Math.abs(time - now.getTime()) > FAR_MS)
    throw clockOff(exchange, `${said}, and the clock of this machine says ${utcSecond(now)}`)
  if (time < from || time > until)
    throw answerMalformed(question, exchange, `${said}, when no certificate is valid`)
}

/** The body of a request for a new entry of the kind `dsse`. The log keeps digests, and not the payload. */
function entryRequest({ payload, signature, certified: { pem } }: JustSigned, version: 1 | 2): string {
  const dsseEnvelope = {
    payload: Buffer.from(payload),
    payloadType: PAYLOAD_TYPE,
    signatures: [{ sig: Buffer.from(signature), keyid: '' }],
  }
  const content = { $case: 'dsseEnvelope', dsseEnvelope } as const
  const request =
    version === 1 ? toProposedEntry(content, pem, 'dsse') : inJson(toCreateEntryRequest(content, pem))
  return JSON.stringify(request)
}

/** As the protocol writes it: bytes in base64, and of several forms the one that it is, by its name. */
function inJson(value: unknown): unknown {
  if (value instanceof Uint8Array) return Buffer.from(value).toString('base64')
  if (Array.isArray(value)) return value.map(inJson)
  if (!isTable(value)) return value
  const members = Object.entries(value).flatMap(([name, member]) => {
    const form = isTable(member) ? own(member, '$case') : undefined
    if (typeof form !== 'string' || !isTable(member)) return [[name, inJson(member)]]
    return [[form, inJson(own(member, form))]]
  })
  return Object.fromEntries(members)
}

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
