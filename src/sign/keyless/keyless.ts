// A statement and an identity token → a Sigstore bundle around it. The key is made for one signature, and forgotten. What comes out is verified before
// anybody gets it, as far as that is possible without a trusted root.

import { generateKeyPairSync, sign } from 'node:crypto'
import { accessFrom, type Setting } from '../../io/setting.ts'
import { anySignal } from '../../io/wait/abort.ts'
import type { CertificateFacts } from '../../model/keyless.ts'
import { preAuthEncoding } from '../../signature/envelope.ts'
import { type IdentityToken, readIdentityToken } from '../../sigstore/identity-token.ts'
import type { SigningServices } from '../../sigstore/signing-config.ts'
import { utcSecond } from '../../text/time.ts'
import { proposedIdentity } from '../../trust-policy/identity-fits.ts'
import { identityString } from '../../trust-policy/identity-string.ts'
import { certificateFor } from './certificate.ts'
import { deadlineFor } from './exchange.ts'
import { checkMade, writeMade } from './made-bundle.ts'
import { proveTime } from './proofs.ts'
import type { SigningExchange } from './question.ts'
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

/** @throws RlpError as {@link findToken}, {@link usableToken}, {@link certificateFor} and {@link proveTime}, each when it is asked for */
export function openKeyless(
  { services, now = () => new Date(), ...query }: KeylessQuery,
  io: Setting,
): Keyless {
  let found: ReturnType<typeof findToken> | undefined
  const claimed = async (exchange: SigningExchange): Promise<IdentityToken> => {
    found ??= findToken(query, exchange)
    const before = await found
    // Tokens of pipelines last for minutes, and many bundles take longer.
    if (before.isRenewed && endsSoon(before.text, now())) found = findToken(query, exchange)
    return usableToken(await found, exchange, now())
  }
  const open = async (doing: string, signal: AbortSignal): Promise<SigningExchange> => {
    const access = accessFrom(io)
    return { doing, deadline: await deadlineFor(signal, access), env: access.env, secrets: [] }
  }
  return {
    claimed: async doing => claimed(await open(doing, io.signal)),
    async sign(payload, doing) {
      // If one service fails, the other one is no longer waited for.
      const stop = new AbortController()
      try {
        const exchange = await open(doing, anySignal(io.signal, stop.signal))
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
  exchange: SigningExchange,
  now: () => Date,
): Promise<KeylessSigned> {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const certified = await certificateFor(token, privateKey, services.fulcio, exchange, now)
  const signature = sign('sha256', preAuthEncoding(payload), privateKey)
  const made = { payload, signature, certified }
  const proofs = await proveTime(made, services, exchange, now)
  const line = writeMade(made, proofs)
  const certificate = checkMade(line, made, exchange.doing)
  return {
    line,
    certificate,
    signer: signerOf(certificate),
    logIndex: proofs.entry?.logIndex,
    time: utcSecond(new Date(proofs.time)),
  }
}

function signerOf(facts: CertificateFacts): string {
  const proposed = proposedIdentity(facts)
  if ('identity' in proposed) return identityString(proposed.identity)
  const { issuer = '', email, uri } = facts
  return identityString(email === undefined ? { issuer, subject: uri ?? '' } : { issuer, email })
}
