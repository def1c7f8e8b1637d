// Private and public keys as PEM. Keys of ours are encrypted PKCS#8 (RFC 5958, RFC 8018), which openssl and node:crypto read; `node:crypto`
// alone derives the key with 2,048 rounds, and this file uses 600,000. A key of another kind is named in the words of those who made it.
import {
  createCipheriv,
  createPrivateKey,
  createPublicKey,
  type KeyObject,
  pbkdf2Sync,
  randomBytes,
} from 'node:crypto'
import { own } from '../model/own.ts'

const ROUNDS = 600_000
const KEY_BYTES = 32
const IV_BYTES = 16
const SALT_BYTES = 16

const OID = {
  pbes2: '2a864886f70d01050d',
  pbkdf2: '2a864886f70d01050c',
  hmacWithSha256: '2a864886f70d0209',
  aes256Cbc: '60864801650304012a',
} as const

/** An encrypted private key in PEM. */
export function encryptedPem(key: KeyObject, passphrase: string): string {
  const salt = randomBytes(SALT_BYTES)
  const iv = randomBytes(IV_BYTES)
  const secret = pbkdf2Sync(passphrase, salt, ROUNDS, KEY_BYTES, 'sha256')
  const cipher = createCipheriv('aes-256-cbc', secret, iv)
  const plain = key.export({ format: 'der', type: 'pkcs8' })
  const sealed = Buffer.concat([cipher.update(plain), cipher.final()])
  const prf = sequence(oid(OID.hmacWithSha256), tlv(0x05, Buffer.alloc(0)))
  const derivation = sequence(
    oid(OID.pbkdf2),
    sequence(octets(salt), integer(ROUNDS), integer(KEY_BYTES), prf),
  )
  const scheme = sequence(oid(OID.aes256Cbc), octets(iv))
  const der = sequence(sequence(oid(OID.pbes2), sequence(derivation, scheme)), octets(sealed))
  return pem('ENCRYPTED PRIVATE KEY', der)
}

/** An unencrypted private key in PEM. */
export function plainPem(key: KeyObject): string {
  return key.export({ format: 'pem', type: 'pkcs8' }).toString()
}

/** Whether a PEM text holds an encrypted private key. */
export function isEncrypted(text: string): boolean {
  return text.includes('-----BEGIN ENCRYPTED PRIVATE KEY-----')
}

/** Whether a PEM text holds a private key of ours that no passphrase protects. */
export function isPlain(text: string): boolean {
  return text.includes('-----BEGIN PRIVATE KEY-----')
}

export type ReadKey =
  | { readonly ok: true; readonly key: KeyObject }
  | { readonly ok: false; readonly why: 'passphrase' | 'not-a-key' | 'several-keys' }
  /** `kind`: such as `EC P-256`. */
  | { readonly ok: false; readonly why: 'other-algorithm'; readonly kind: string }

export function publicPem(key: KeyObject): string {
  return key.export({ format: 'pem', type: 'spki' }).toString()
}

/** A public key from SPKI PEM. */
export function readPublicPem(text: string): ReadKey {
  if (!text.includes('-----BEGIN PUBLIC KEY-----')) return { ok: false, why: 'not-a-key' }
  if (isSeveral(text)) return { ok: false, why: 'several-keys' }
  let key: KeyObject
  try {
    key = createPublicKey({ key: text, format: 'pem' })
  } catch {
    // node:crypto has many words for PEM that holds no key.
    return { ok: false, why: 'not-a-key' }
  }
  return isOurs(key)
}

/** A person looks at one block and node:crypto may read another. */
function isSeveral(text: string): boolean {
  return text.split('-----BEGIN ').length > 2
}

function isOurs(key: KeyObject): ReadKey {
  if (key.asymmetricKeyType === 'ed25519') return { ok: true, key }
  return { ok: false, why: 'other-algorithm', kind: kindOfKey(key) }
}

/** A private key from PEM, ours or openssl's. */
export function readPem(text: string, passphrase: string | undefined): ReadKey {
  if (isSeveral(text)) return { ok: false, why: 'several-keys' }
  if (!/-----BEGIN (?:ENCRYPTED )?PRIVATE KEY-----/.test(text)) return { ok: false, why: 'not-a-key' }
  let key: KeyObject
  try {
    key = createPrivateKey({ key: text, format: 'pem', ...(passphrase !== undefined && { passphrase }) })
  } catch {
    // node:crypto has one kind of error for a wrong passphrase, a missing one and damaged bytes.
    return { ok: false, why: isEncrypted(text) ? 'passphrase' : 'not-a-key' }
  }
  return isOurs(key)
}

function pem(label: string, der: Buffer): string {
  const lines = der.toString('base64').match(/.{1,64}/g) ?? []
  return `-----BEGIN ${label}-----\n${lines.join('\n')}\n-----END ${label}-----\n`
}

function tlv(tag: number, content: Buffer): Buffer {
  const { length } = content
  const head = length < 0x80 ? [length] : length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff]
  return Buffer.concat([Buffer.from([tag, ...head]), content])
}

function sequence(...parts: Buffer[]): Buffer {
  return tlv(0x30, Buffer.concat(parts))
}

function oid(hex: string): Buffer {
  return tlv(0x06, Buffer.from(hex, 'hex'))
}

function octets(bytes: Buffer): Buffer {
  return tlv(0x04, bytes)
}

/** Positive integers only; a leading zero keeps the sign bit clear. */
function integer(value: number): Buffer {
  const hex = value.toString(16)
  const even = hex.length % 2 === 0 ? hex : `0${hex}`
  return tlv(0x02, Buffer.from(Number.parseInt(even.slice(0, 2), 16) >= 0x80 ? `00${even}` : even, 'hex'))
}

/** Undefined if the text holds no PEM. */
export function pemIn(text: string): string | undefined {
  const plain = bare(text)
  const pem = isPem(plain) ? plain : fromBase64(plain)
  if (pem === undefined || !isPem(pem)) return undefined
  return pem.includes('\n') ? pem : pem.replace(/\\r?\\n|\\n|\\r/g, '\n')
}

function isPem(text: string): boolean {
  return text.startsWith('-----BEGIN ')
}

export function bare(text: string): string {
  return text.replace(/^\ufeff/, '').trim()
}

/** Of PEM that was encoded in base64 once more. */
function fromBase64(text: string): string | undefined {
  const plain = text.replace(/\s+/g, '')
  // `-----BEGIN ` in base64 begins so.
  if (!/^LS0tLS1CRUdJTi[A-Za-z0-9+/]*={0,2}$/.test(plain)) return undefined
  return Buffer.from(plain, 'base64').toString('latin1').trim()
}

/** Names of `node:crypto` and of OpenSSH. */
const CURVES: Readonly<Record<string, string>> = {
  prime256v1: 'P-256',
  secp384r1: 'P-384',
  secp521r1: 'P-521',
  nistp256: 'P-256',
  nistp384: 'P-384',
  nistp521: 'P-521',
}

const KINDS: Readonly<Record<string, string>> = {
  rsa: 'RSA',
  'rsa-pss': 'RSA-PSS',
  dsa: 'DSA',
  dh: 'Diffie-Hellman',
  ed25519: 'Ed25519',
  ed448: 'Ed448',
  x25519: 'X25519',
  x448: 'X448',
}

/** `EC P-256`, `RSA`, `X25519` … */
function kindOfKey(key: KeyObject): string {
  const type = key.asymmetricKeyType ?? 'secret'
  const curve = key.asymmetricKeyDetails?.namedCurve
  if (type === 'ec') return curve === undefined ? 'EC' : `EC ${own(CURVES, curve) ?? curve}`
  return own(KINDS, type) ?? type.toUpperCase()
}

/** Of a PEM text that is not encrypted, in any form that OpenSSL reads. */
export function kindOfPem(pem: string): string | undefined {
  for (const read of [createPrivateKey, createPublicKey]) {
    try {
      return kindOfKey(read({ key: pem, format: 'pem' }))
    } catch {
      // node:crypto has many words for PEM that holds no key.
    }
  }
  return undefined
}

/** `ssh-ed25519`, `ecdsa-sha2-nistp256` … → the kind of the key. */
export function kindOfSsh(name: string): string | undefined {
  if (name.startsWith('sk-'))
    return `${kindOfSsh(name.slice(3).split('@', 1)[0] ?? '') ?? ''} security`.trim()
  const [, curve] = /^ecdsa-sha2-(.+)$/.exec(name) ?? []
  if (curve !== undefined) return `EC ${own(CURVES, curve) ?? curve}`
  return own({ 'ssh-rsa': 'RSA', 'ssh-dss': 'DSA', 'ssh-ed25519': 'Ed25519' }, name)
}

/** OpenSSH writes the kind of a private key in clear, also when the key is encrypted. */
export function kindOfSshPem(
  pem: string,
): { readonly kind: string; readonly encrypted: boolean } | undefined {
  const [, body = ''] = /-----BEGIN OPENSSH PRIVATE KEY-----([A-Za-z0-9+/=\s]*)-----END/.exec(pem) ?? []
  const bytes = Buffer.from(body, 'base64')
  const magic = 'openssh-key-v1\0'
  if (bytes.toString('latin1', 0, magic.length) !== magic) return undefined
  // Cipher, derivation, its options, the number of keys, the public half: texts with their lengths before them.
  let at = magic.length
  const next = () => {
    const length = at + 4 <= bytes.length ? bytes.readUInt32BE(at) : 0
    const text = bytes.subarray(at + 4, at + 4 + length)
    at += 4 + length
    return text
  }
  const cipher = next().toString('latin1')
  next()
  next()
  at += 4
  const half = next()
  const name = half.length < 4 ? '' : half.toString('latin1', 4, 4 + half.readUInt32BE(0))
  const kind = kindOfSsh(name)
  return kind === undefined ? undefined : { kind, encrypted: cipher !== 'none' }
}
