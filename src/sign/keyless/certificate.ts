// A token and a key of one moment → the certificate that Fulcio gives for them.
import { createPublicKey, type KeyObject, sign, X509Certificate } from 'node:crypto'
import { valueAt } from '../../json/pointer.ts'
import { isTable, own } from '../../model/own.ts'
import { utcSecond } from '../../text/time.ts'
import {
  answerMalformed,
  clockOff,
  jsonIn,
  type ServiceQuestion,
  type SigningExchange,
  serviceAnswer,
} from './service.ts'
import { type IdentityToken, SKEW_MS } from './token.ts'

const PATH = 'api/v2/signingCert'
const MOST_BYTES = 64 * 1024

export interface Certified {
  /** PEM. */
  readonly pem: string
  readonly der: Uint8Array
  readonly key: KeyObject
  /** Milliseconds since 1970. */
  readonly from: number
  readonly until: number
}

/**
 * Sends the token. Nothing else is told who signs.
 * @param key the private one
 * @throws RlpError as {@link serviceAnswer}; SIGNER for a certificate for another key, or one that is not valid by the clock of this machine
 */
export async function certificateFor(
  { text, subject }: IdentityToken,
  key: KeyObject,
  fulcio: URL,
  exchange: SigningExchange,
  now: () => Date,
): Promise<Certified> {
  const publicKey = createPublicKey(key)
  const question: ServiceQuestion = {
    service: 'Fulcio',
    method: 'POST',
    url: below(fulcio, PATH),
    mostBytes: MOST_BYTES,
    headers: { 'content-type': 'application/json', accept: 'application/json' },
    body: JSON.stringify({
      credentials: { oidcIdentityToken: text },
      publicKeyRequest: {
        publicKey: { algorithm: 'ECDSA', content: publicKey.export({ format: 'pem', type: 'spki' }) },
        proofOfPossession: sign('sha256', Buffer.from(subject), key).toString('base64'),
      },
    }),
    hint: 'Check that this Fulcio takes tokens of this issuer, and get a new token',
  }
  const { bytes } = await serviceAnswer(question, exchange)
  const pem = firstIn(bytes)
  const found = pem === undefined ? undefined : certificateIn(pem)
  if (found === undefined) throw answerMalformed(question, exchange, 'it has no certificate')
  if (!found.publicKey.equals(publicKey))
    throw answerMalformed(question, exchange, 'its certificate is for another key')
  const certified = {
    pem: found.toString(),
    der: new Uint8Array(found.raw),
    key: found.publicKey,
    from: Date.parse(found.validFrom),
    until: Date.parse(found.validTo),
  }
  refuseOutside(certified, exchange, now())
  return certified
}

function refuseOutside({ from, until }: Certified, exchange: SigningExchange, now: Date): void {
  if (from - SKEW_MS <= now.getTime() && now.getTime() <= until) return
  const [first, last] = [from, until].map(time => utcSecond(new Date(time)))
  throw clockOff(
    exchange,
    `the certificate is valid from ${first} to ${last}, and the clock of this machine says ${utcSecond(now)}`,
  )
}

/** The address of a service is often written with a slash at its end. */
export function below(service: URL, path: string): URL {
  const url = new URL(service)
  url.pathname = `${url.pathname.replace(/\/$/, '')}/${path}`
  return url
}

/** The proof of the log of certificates is in the certificate, or beside it. */
function firstIn(bytes: Uint8Array): string | undefined {
  const answer = jsonIn(bytes)
  const held = isTable(answer)
    ? (own(answer, 'signedCertificateEmbeddedSct') ?? own(answer, 'signedCertificateDetachedSct'))
    : undefined
  const list = valueAt(held, ['chain', 'certificates'])
  const first: unknown = Array.isArray(list) ? list[0] : undefined
  return typeof first === 'string' ? first : undefined
}

function certificateIn(pem: string): X509Certificate | undefined {
  try {
    return new X509Certificate(pem)
  } catch {
    // OpenSSL says in many ways that these bytes are no certificate.
    return undefined
  }
}
