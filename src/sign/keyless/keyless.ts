// A statement and an identity token → a Sigstore bundle around it. The key is made for one signature, and forgotten. What comes out is verified before
// anybody gets it, as far as that is possible without a trusted root.
import { generateKeyPairSync, sign, verify } from 'node:crypto'
import { readCertificate } from '../../format/keyless/certificate.ts'
import { type IdentityToken, readIdentityToken } from '../../format/keyless/identity-token.ts'
import type { SigningServices } from '../../format/keyless/signing-config.ts'
import { readSigstoreBundle } from '../../format/keyless/sigstore-bundle.ts'
import { PAYLOAD_TYPE, preAuthEncoding } from '../../format/signature/envelope.ts'
import { SIGSTORE_BUNDLE_TYPE } from '../../format/signature/sigstore-bundle.ts'
import { utcSecond } from '../../format/text/utc-second.ts'
import { identityString } from '../../format/trust/identity-string.ts'
import { proposedIdentity } from '../../format/trust/proposed-identity.ts'
import { accessFrom, type Setting } from '../../io/setting.ts'
import { RlpError } from '../../model/error.ts'
import type { CertificateFacts } from '../../model/keyless.ts'
import { byteLimit, KEYLESS_LIMITS } from '../../model/limits.ts'
import { certificateFor } from './certificate.ts'
import { deadlineFor, type Exchange } from './exchange.ts'
import { type Proofs, proofsOf, type Signed } from './proofs.ts'
import { findToken, type TokenQuery } from './token-sources.ts'
import { usableToken } from './usable-token.ts'

/** Long enough for one bundle. */
const SOON_MS = 60_000

/** What was signed, and by whom. */
export interface KeylessSigned {
  /** The Sigstore bundle, in one line of JSON. */
  readonly line: Uint8Array
  /** Who signed, as a trust policy that names them calls them: `oidc:…`. */
  readonly signer: string
  readonly certificate: CertificateFacts
  /** Of its entry in the log; undefined without a log. */
  readonly logIndex: string | undefined
  /** A UTC second. */
  readonly time: string
}

/** Someone who signs with an identity in place of a key. */
export interface Keyless {
  /** Who the token says they are. It is not verified: Fulcio does that. */
  claimed(doing: string): Promise<IdentityToken>
  /** Sends token, certificate and digests to the services. */
  sign(payload: Uint8Array, doing: string): Promise<KeylessSigned>
}

export interface KeylessQuery extends TokenQuery {
  readonly services: SigningServices
  /** The clock; of this machine, if left out. */
  readonly now?: () => Date
}

/** @throws RlpError as {@link findToken}, {@link usableToken}, {@link certificateFor} and {@link proofsOf}, each when it is asked for */
export function openKeyless(
  { services, now = () => new Date(), ...query }: KeylessQuery,
  io: Setting,
): Keyless {
  let found: ReturnType<typeof findToken> | undefined
  const claimed = async (exchange: Exchange): Promise<IdentityToken> => {
    found ??= findToken(query, exchange)
    const before = await found
    // Tokens of pipelines last for minutes, and many bundles take longer.
    if (before.isRenewed && endsSoon(before.text, now())) found = findToken(query, exchange)
    return usableToken(await found, exchange, now())
  }
  const open = (doing: string, signal: AbortSignal): Exchange => {
    const { env, times } = accessFrom(io)
    return { doing, deadline: deadlineFor(signal, times), env, secrets: [] }
  }
  return {
    claimed: doing => claimed(open(doing, io.signal)),
    async sign(payload, doing) {
      // If one service fails, the other one is no longer waited for.
      const stop = new AbortController()
      const exchange = open(doing, AbortSignal.any([io.signal, stop.signal]))
      try {
        const token = await claimed(exchange)
        return await signed(payload, token, services, { ...exchange, secrets: token.secrets }, now)
      } finally {
        stop.abort()
      }
    },
  }
}

function endsSoon(text: string, now: Date): boolean {
  const read = readIdentityToken(text)
  return read.ok && read.token.ends < now.getTime() + SOON_MS
}

async function signed(
  payload: Uint8Array,
  token: IdentityToken,
  services: SigningServices,
  exchange: Exchange,
  now: () => Date,
): Promise<KeylessSigned> {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const certified = await certificateFor(token, privateKey, services.fulcio, exchange, now)
  const signature = sign('sha256', preAuthEncoding(payload), privateKey)
  const made = { payload, signature, certified }
  const proofs = await proofsOf(made, services, exchange, now)
  const line = written(made, proofs)
  const certificate = checked(line, made, exchange.doing)
  return {
    ...{ line, certificate, signer: signerOf(certificate), logIndex: proofs.entry?.logIndex },
    time: utcSecond(new Date(proofs.time)),
  }
}

function written({ payload, signature, certified }: Signed, { entry, stamp }: Proofs): Uint8Array {
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
        signatures: [{ sig: Buffer.from(signature).toString('base64'), keyid: '' }],
      },
    }),
  )
}

/** Read as a verifier reads it. @throws RlpError NOT_VERIFIED */
function checked(
  line: Uint8Array,
  { payload, signature, certified }: Signed,
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

function signerOf(facts: CertificateFacts): string {
  const proposed = proposedIdentity(facts)
  if ('identity' in proposed) return identityString(proposed.identity)
  const { issuer = '', email, uri } = facts
  return identityString(email === undefined ? { issuer, subject: uri ?? '' } : { issuer, email })
}
