// Signs with an identity instead of a key, loaded on demand. The key is made for one signature, and forgotten. The Sigstore bundle is
// verified before anybody gets it, as far as that is possible without a trusted root, and becomes one more line in the bundle's file of
// attestations.
import { generateKeyPairSync, sign } from 'node:crypto'
import type { Target } from '../../io/find/search-folders.ts'
import { type PathGiven, pathGiven } from '../../io/library/caller.ts'
import { refuseUnknownMembers } from '../../io/library/unknown-members.ts'
import { readFile } from '../../io/read/read-file.ts'
import { realPath } from '../../io/read/real-path.ts'
import { accessFrom, type Setting } from '../../io/setting.ts'
import { anySignal } from '../../io/wait/any-signal.ts'
import { RlpError, UsageError } from '../../model/error.ts'
import type { CertificateFacts } from '../../model/keyless.ts'
import { kindName } from '../../model/kind-name.ts'
import { byteLimit, PARSE_LIMITS } from '../../model/limits.ts'
import { preAuthEncoding } from '../../signature/envelope.ts'
import { PUBLIC_SERVICES, readSigningConfig, type SigningServices } from '../../sigstore/signing-config.ts'
import { besideBundle } from '../../statement/beside-bundle.ts'
import { quoted } from '../../text/printable.ts'
import { utcSecond } from '../../text/time.ts'
import { proposedIdentity } from '../../trust-policy/identity-fits.ts'
import { identityString } from '../../trust-policy/identity-string.ts'
import { type Demands, readSound, readToSign } from '../../verify/before-signing.ts'
import { bundleIdentity } from '../../version/reference.ts'
import { besideIn, changeBeside, lineAdded } from '../attestation-file.ts'
import { type EndOptions, payloadFor } from '../sign.ts'
import { changedMeanwhile, fileState } from '../write-signature.ts'
import { certificateFor } from './certificate.ts'
import { checkMade, proveTime, writeMade } from './proofs.ts'
import { deadlineFor, type SigningExchange } from './service.ts'
import { findToken, type IdentityToken, readIdentityToken, type TokenQuery, usableToken } from './token.ts'

/** Long enough for one bundle. */
const SOON_MS = 60_000

/** What was signed, and by whom. */
interface KeylessSigned {
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

/** Signing with an identity, as a caller of the library asks for it. All members may be left out. */
export interface KeylessGiven {
  /** A token of an OIDC issuer, for the audience `sigstore`. Without it: `SIGSTORE_ID_TOKEN` in `env`, or what a job of GitHub Actions is given. */
  readonly identityToken?: string | undefined
  /** A signing config of Sigstore, version 0.2: a file, or its bytes. Without it, the public instance signs. */
  readonly signingConfig?: PathGiven | Uint8Array | undefined
}

const MEMBERS = ['identityToken', 'signingConfig']

/** What {@link openKeyless} needs for it. @throws UsageError; RlpError WRONG_FILE_TYPE for what is no signing config, NOT_FOUND */
export async function keylessQuery(options: KeylessGiven, io: Pick<Setting, 'cwd'>): Promise<KeylessQuery> {
  refuseUnknownMembers(options, MEMBERS, 'keyless')
  const { identityToken, signingConfig } = options
  if (identityToken !== undefined && typeof identityToken !== 'string')
    throw new UsageError(`Cannot sign: identityToken is ${kindName(identityToken)}, and no text`, {
      field: 'keyless',
      hint: 'Give the token itself',
    })
  const services = await servicesFrom(signingConfig, io)
  return { text: identityToken, cwd: io.cwd, services }
}

async function servicesFrom(
  config: KeylessGiven['signingConfig'],
  io: Pick<Setting, 'cwd'>,
): Promise<SigningServices> {
  if (config === undefined) return PUBLIC_SERVICES
  if (config instanceof Uint8Array) return servicesIn(config, '<signing config>')
  return servicesAt(pathGiven(config, io, 'use the signing config'), String(config))
}

/** @param path absolute. @throws RlpError WRONG_FILE_TYPE, NOT_FOUND, NO_PERMISSION, LIMIT_EXCEEDED */
export async function servicesAt(path: string, label: string): Promise<SigningServices> {
  const most = PARSE_LIMITS.textBytes
  const larger = () => {
    throw new RlpError(
      'LIMIT_EXCEEDED',
      `Cannot use the signing config ${quoted(label, 200)}: it has more than ${byteLimit(most)}`,
      { hint: 'Name the file that was meant' },
    )
  }
  return servicesIn(await readFile(path, { follow: true, label, most, larger }), label)
}

function servicesIn(bytes: Uint8Array, label: string): SigningServices {
  const read = readSigningConfig(bytes, new Date())
  if (read.ok) return read.services
  throw new RlpError(
    'WRONG_FILE_TYPE',
    `Cannot use the signing config ${quoted(label, 200)}: ${read.problem}`,
    {
      hint: 'Write it with cosign signing-config create, and name services that are valid now',
    },
  )
}

/** A bundle that an identity has signed. */
export interface SignedKeyless {
  /** As the caller called it. */
  readonly bundle: string
  /** The identity that signed, as a trust policy that names it calls it: `oidc:…`. */
  readonly signer: string
  /** `blake3:…` of the signed manifest. */
  readonly identity: string
  /** What the certificate says of who signed. */
  readonly certificate: CertificateFacts
  /** Index of the entry in the log; null without a log. */
  readonly logIndex: string | null
  /** When it was signed, as log or time stamp says: a UTC second. */
  readonly time: string
  /** The file that has the signature, as the caller calls the bundle; null for a stored bundle. */
  readonly file: string | null
  /** `sha256:…` of the manifest that holds it; null for a file. */
  readonly attached: string | null
  /** Whether the signature is new there: it is, because each one has its own time and certificate. */
  readonly changed: boolean
}

/**
 * The services are asked before the file is locked: they may take their time. What others have added meanwhile is kept, and a bundle that is no longer the
 * one that was signed gets no signature beside it.
 * @throws RlpError NOT_VERIFIED for a bundle that is not sound; as the services, reading and writing do; then nothing is written
 */
export async function signBundleKeyless(
  { path: named, label }: Target,
  keyless: Keyless,
  options: EndOptions,
  io: Setting,
  demands: Demands = {},
): Promise<SignedKeyless> {
  const path = await realPath(named, label)
  const doing = `sign "${label}"`
  const how = { doing, hint: 'Delete lines that are about other bundles', signal: io.signal }
  const file = { path: besideBundle(named), label: besideBundle(label) }
  const seen = fileState(path)
  const { bundle, identity, payload: judged } = await readToSign({ path, label }, io, demands)
  const payload = payloadFor(bundle.agent, options, judged)
  // A file that takes nothing more is found before anything becomes public.
  await besideIn(file, how)
  const made = await keyless.sign(payload, doing)
  const changed = await changeBeside(file, how, async before => {
    const isSame = bundle.form !== 'directory' && fileState(path) === seen
    const now = isSame ? bundle : await readSound(path, label, io)
    if (Buffer.compare(payloadFor(now.agent, options, judged), payload) !== 0) throw changedMeanwhile(doing)
    return lineAdded(before, made.line)
  })
  return { ...signedFacts(label, identity, made), file: file.label, attached: null, changed }
}

export function signedFacts(
  bundle: string,
  identity: string,
  { signer, certificate, logIndex, time }: KeylessSigned,
): Omit<SignedKeyless, 'file' | 'attached' | 'changed'> {
  return { bundle, signer, identity: bundleIdentity(identity), certificate, logIndex: logIndex ?? null, time }
}
