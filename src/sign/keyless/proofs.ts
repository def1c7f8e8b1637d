// A signature → what proves when it was made: an entry in the log, a time stamp, or both.
import { hash } from 'node:crypto'
import { KEYLESS_LIMITS } from '../../model/limits.ts'
import type { SigningServices } from '../../sigstore/signing-config.ts'
import { type LogEntry, readEntry1, readEntry2, readTimeStamp } from '../../sigstore/time-proofs.ts'
import { utcSecond } from '../../text/time.ts'
import { below, type Certified } from './certificate.ts'
import { serviceAnswer } from './exchange.ts'
import type { ServiceQuestion, SigningExchange } from './question.ts'
import { entryRequest } from './requests.ts'
import { answerMalformed, clockOff, serviceNamed } from './service-words.ts'

/** A proof by a service whose clock differs so much from ours is of no use. */
const FAR_MS = 300_000
const JSON_HEADERS = { 'content-type': 'application/json', accept: 'application/json' }
const ENTRIES = { 1: 'api/v1/log/entries', 2: 'api/v2/log/entries' } as const

export interface JustSigned {
  readonly payload: Uint8Array
  readonly signature: Uint8Array
  readonly certified: Certified
}

export interface ProofsOfTime {
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
  const { payload, signature, certified } = signed
  const question: ServiceQuestion = {
    service: 'Rekor',
    method: 'POST',
    url: below(url, ENTRIES[version]),
    mostBytes: KEYLESS_LIMITS.bytes,
    headers: JSON_HEADERS,
    takes: 409,
    body: entryRequest({ payload, signature, pem: certified.pem }, version),
    hint: 'Check that the address is one of Rekor, of the version that the signing config says',
  }
  const answer = await serviceAnswer(question, exchange)
  const { bytes } = answer.status === 409 ? await asked(question, answer.headers.location, exchange) : answer
  const read = (version === 1 ? readEntry1 : readEntry2)(bytes, signed)
  if ('problem' in read) throw answerMalformed(question, exchange, read.problem)
  const { entry } = read
  if (entry.integratedTime === undefined) return { entry, time: undefined }
  const time = Number(entry.integratedTime) * 1000
  refuseTime(time, certified, question, exchange, now())
  return { entry, time }
}

/** A request that was sent again finds its own entry there. */
async function asked(question: ServiceQuestion, location: string | undefined, exchange: SigningExchange) {
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
