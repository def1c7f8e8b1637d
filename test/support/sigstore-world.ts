// Authorities of Sigstore in memory, made for a test: a certificate authority, a log of certificates and a log of signatures. Written by hand, so that a
// certificate can say anything, and say it wrongly. Which of its facts are right is decided by the code under test and the library alone.
import { createHash, generateKeyPairSync, type KeyObject, sign } from 'node:crypto'
import { writeDer } from '../../fixtures/conformance/der.ts'
import { preAuth } from './trust-world.ts'

export const GITHUB = 'https://token.actions.githubusercontent.com'

/** What a certificate says, by the number of its extension below 1.3.6.1.4.1.57264.1. */
export type Claims = Readonly<Record<number, string>>

/** A job of GitHub Actions, as its certificate names it. */
export const JOB = {
  8: GITHUB,
  9: 'https://github.com/acme/mini/.github/workflows/release.yml@refs/tags/v1.0.0',
  10: 'a'.repeat(40),
  11: 'github-hosted',
  12: 'https://github.com/acme/mini',
  13: 'a'.repeat(40),
  14: 'refs/tags/v1.0.0',
  15: '123456789',
  16: 'https://github.com/acme',
  17: '42',
  18: 'https://github.com/acme/mini/.github/workflows/release.yml@refs/tags/v1.0.0',
  19: 'a'.repeat(40),
  20: 'push',
  21: 'https://github.com/acme/mini/actions/runs/1/attempts/1',
  22: 'public',
} as const satisfies Claims

/** What a trust policy says of that job. */
export const JOB_ANCHOR = `issuer = "${GITHUB}", repository_id = "123456789", owner_id = "42", workflow = ".github/workflows/release.yml", ref = "refs/tags/v*"`

export interface Certifying {
  readonly claims?: Claims
  /** In place of the URI of the signer: names with their tag, 1 for an address and 6 for a URI. */
  readonly names?: readonly (readonly [tag: number, text: string])[]
  readonly from?: Date
  readonly until?: Date
  /** Without the proof of the log of certificates. */
  readonly unlogged?: boolean
  /** DER of further extensions. */
  readonly more?: readonly Buffer[]
  /** Another authority of the same name. */
  readonly by?: KeyObject
}

export interface Recording {
  readonly time?: Date
  /** In place of the payload that is signed. */
  readonly body?: Uint8Array
  /** Without an entry. */
  readonly unlogged?: boolean
  /** Another log of the same name. */
  readonly by?: KeyObject
}

export interface SigstoreWorld {
  readonly now: Date
  /** What `cosign trusted-root create` would write. */
  readonly root: object
  /** The same as the bytes of a file. */
  readonly rootBytes: Buffer
  /** One Sigstore bundle around a payload. */
  signed(payload: Uint8Array, certifying?: Certifying, recording?: Recording): Record<string, unknown>
  /** The same, as the line of a file. */
  line(payload: Uint8Array, certifying?: Certifying, recording?: Recording): Buffer
}

export function sigstoreWorld(now = new Date('2026-06-01T12:00:00Z')): SigstoreWorld {
  const [authority, log, certificates] = [pair(), pair(), pair()]
  const root = rootOf(authority, log, certificates, now)
  const signed = (payload: Uint8Array, certifying: Certifying = {}, recording: Recording = {}) => {
    const own = pair()
    const certificate = certificateFor(own.publicKey, authority, certificates, now, certifying)
    const sig = sign('sha256', preAuth(Buffer.from(payload)), own.privateKey)
    return {
      mediaType: 'application/vnd.dev.sigstore.bundle.v0.3+json',
      verificationMaterial: {
        certificate: { rawBytes: certificate.toString('base64') },
        tlogEntries: recording.unlogged
          ? []
          : [entryFor(recording.body ?? payload, sig, certificate, log, now, recording)],
      },
      dsseEnvelope: {
        payload: Buffer.from(payload).toString('base64'),
        payloadType: 'application/vnd.in-toto+json',
        signatures: [{ sig: sig.toString('base64') }],
      },
    }
  }
  return {
    now,
    root,
    rootBytes: Buffer.from(JSON.stringify(root)),
    signed,
    line: (...given) => Buffer.from(JSON.stringify(signed(...given))),
  }
}

interface Pair {
  readonly privateKey: KeyObject
  readonly publicKey: KeyObject
}

export function pair(): Pair {
  return generateKeyPairSync('ec', { namedCurve: 'P-256' })
}

function rootOf(authority: Pair, log: Pair, certificates: Pair, now: Date): object {
  const start = new Date(now.getTime() - DAY).toISOString()
  const logOf = ({ publicKey }: Pair, baseUrl: string) => ({
    baseUrl,
    hashAlgorithm: 'SHA2_256',
    publicKey: {
      rawBytes: spki(publicKey).toString('base64'),
      keyDetails: 'PKIX_ECDSA_P256_SHA_256',
      validFor: { start },
    },
    logId: { keyId: sha256(spki(publicKey)).toString('base64') },
  })
  return {
    mediaType: 'application/vnd.dev.sigstore.trustedroot+json;version=0.1',
    tlogs: [logOf(log, `https://${LOG}`)],
    certificateAuthorities: [
      {
        subject: { organization: 'sigstore.test', commonName: 'authority' },
        uri: 'https://fulcio.test',
        certChain: { certificates: [{ rawBytes: authorityCertificate(authority, now).toString('base64') }] },
        validFor: { start },
      },
    ],
    ctlogs: [logOf(certificates, 'https://ct.test')],
    timestampAuthorities: [],
  }
}

const DAY = 86_400_000
const LOG = 'log.test'

/* Certificates. */

const der = (tag: number, ...parts: readonly Uint8Array[]): Buffer =>
  writeDer({ tag, content: Buffer.concat(parts) })
const sequence = (...parts: readonly Uint8Array[]) => der(0x30, ...parts)
const identifier = (text: string) => {
  const [first = 0, second = 0, ...others] = text.split('.').map(Number)
  return der(0x06, Buffer.of(first * 40 + second, ...others.flatMap(base128)))
}
const base128 = (number: number): number[] => {
  const digits = [number & 0x7f]
  for (let left = number >> 7; left > 0; left >>= 7) digits.unshift((left & 0x7f) | 0x80)
  return digits
}
const integer = (...bytes: readonly number[]) => der(0x02, Buffer.of(...bytes))
export const utf8 = (text: string) => der(0x0c, Buffer.from(text))
const time = (date: Date) =>
  der(0x17, Buffer.from(`${date.toISOString().slice(2, 19).replace(/[-T:]/g, '')}Z`))
const bits = (bytes: Uint8Array) => der(0x03, Buffer.of(0), bytes)
export const extension = (id: string, value: Uint8Array, isCritical = false) =>
  sequence(identifier(id), ...(isCritical ? [der(0x01, Buffer.of(0xff))] : []), der(0x04, value))
export const claim = (number: number, value: Uint8Array) => extension(`1.3.6.1.4.1.57264.1.${number}`, value)

const ECDSA_SHA256 = sequence(identifier('1.2.840.10045.4.3.2'))
const NAME = sequence(der(0x31, sequence(identifier('2.5.4.3'), utf8('authority'))))

function authorityCertificate({ privateKey, publicKey }: Pair, now: Date): Buffer {
  const extensions = [
    extension('2.5.29.15', der(0x03, Buffer.of(1, 0x06)), true),
    extension('2.5.29.19', sequence(der(0x01, Buffer.of(0xff))), true),
  ]
  const valid = sequence(time(new Date(now.getTime() - DAY)), time(new Date(now.getTime() + 3650 * DAY)))
  return signedCertificate(NAME, valid, publicKey, extensions, privateKey)
}

function firstPart(
  subject: Uint8Array,
  valid: Uint8Array,
  publicKey: KeyObject,
  extensions: readonly Uint8Array[],
): Buffer {
  return sequence(
    ...[der(0xa0, integer(2)), integer(7), ECDSA_SHA256, NAME, valid, subject, spki(publicKey)],
    der(0xa3, sequence(...extensions)),
  )
}

function signedCertificate(
  subject: Uint8Array,
  valid: Uint8Array,
  publicKey: KeyObject,
  extensions: readonly Uint8Array[],
  by: KeyObject,
): Buffer {
  const first = firstPart(subject, valid, publicKey, extensions)
  return sequence(first, ECDSA_SHA256, bits(sign('sha256', first, by)))
}

function certificateFor(
  publicKey: KeyObject,
  authority: Pair,
  certificates: Pair,
  now: Date,
  { claims = JOB, names, from, until, unlogged, more = [], by = authority.privateKey }: Certifying,
): Buffer {
  const given = names ?? [[6, claims[9] ?? 'https://id.test/signer'] as const]
  const extensions = [
    extension('2.5.29.15', der(0x03, Buffer.of(7, 0x80)), true),
    extension('2.5.29.17', sequence(...given.map(([tag, text]) => der(0x80 | tag, Buffer.from(text)))), true),
    ...Object.entries(claims).map(([number, text]) => claim(Number(number), utf8(text))),
    ...more,
  ]
  const valid = sequence(
    time(from ?? new Date(now.getTime() - 60_000)),
    time(until ?? new Date(now.getTime() + 540_000)),
  )
  const subject = sequence()
  if (unlogged) return signedCertificate(subject, valid, publicKey, extensions, by)
  const proof = loggedProof(firstPart(subject, valid, publicKey, extensions), authority, certificates, now)
  return signedCertificate(subject, valid, publicKey, [...extensions, proof], by)
}

/** RFC 6962, 3.2 and 3.3. */
function loggedProof(first: Uint8Array, authority: Pair, { privateKey, publicKey }: Pair, now: Date): Buffer {
  const stamp = Buffer.alloc(8)
  stamp.writeBigUInt64BE(BigInt(now.getTime()))
  const length = Buffer.of(first.length >> 16, (first.length >> 8) & 0xff, first.length & 0xff)
  const issuer = sha256(spki(authority.publicKey))
  const said = Buffer.concat([
    Buffer.of(0, 0),
    stamp,
    Buffer.of(0, 1),
    issuer,
    length,
    first,
    Buffer.of(0, 0),
  ])
  const signature = sign('sha256', said, privateKey)
  const proof = Buffer.concat([
    ...[Buffer.of(0), sha256(spki(publicKey)), stamp, Buffer.of(0, 0, 4, 3)],
    ...[short(signature.length), signature],
  ])
  const list = Buffer.concat([short(proof.length + 2), short(proof.length), proof])
  return extension('1.3.6.1.4.1.11129.2.4.2', der(0x04, list))
}

const short = (number: number) => Buffer.of(number >> 8, number & 0xff)

/* Entries of the log. */

function entryFor(
  payload: Uint8Array,
  sig: Uint8Array,
  certificate: Buffer,
  log: Pair,
  now: Date,
  { time: at = now, by = log.privateKey }: Recording,
): object {
  const integratedTime = Math.floor(at.getTime() / 1000)
  const pem = `-----BEGIN CERTIFICATE-----\n${certificate.toString('base64')}\n-----END CERTIFICATE-----\n`
  const body = Buffer.from(
    JSON.stringify({
      apiVersion: '0.0.1',
      kind: 'dsse',
      spec: {
        payloadHash: { algorithm: 'sha256', value: sha256(payload).toString('hex') },
        signatures: [
          { signature: Buffer.from(sig).toString('base64'), verifier: Buffer.from(pem).toString('base64') },
        ],
      },
    }),
  )
  const logID = sha256(spki(log.publicKey))
  const promised = JSON.stringify({
    body: body.toString('base64'),
    integratedTime,
    logID: logID.toString('hex'),
    logIndex: 5,
  })
  const rootHash = sha256(Buffer.concat([Buffer.of(0), body]))
  const note = `${LOG} - 1\n1\n${rootHash.toString('base64')}\n`
  const noted = Buffer.concat([logID.subarray(0, 4), sign('sha256', Buffer.from(note), by)])
  return {
    logIndex: '5',
    logId: { keyId: logID.toString('base64') },
    kindVersion: { kind: 'dsse', version: '0.0.1' },
    integratedTime: String(integratedTime),
    inclusionPromise: {
      signedEntryTimestamp: sign('sha256', Buffer.from(promised), by).toString('base64'),
    },
    inclusionProof: {
      logIndex: '0',
      rootHash: rootHash.toString('base64'),
      treeSize: '1',
      hashes: [],
      checkpoint: { envelope: `${note}\n\u2014 ${LOG} ${noted.toString('base64')}\n` },
    },
    canonicalizedBody: body.toString('base64'),
  }
}

function spki(key: KeyObject): Buffer {
  return key.export({ format: 'der', type: 'spki' })
}

function sha256(bytes: Uint8Array): Buffer {
  return createHash('sha256').update(bytes).digest()
}
