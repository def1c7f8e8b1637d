// A key that is no Ed25519 key → what it is, in the words of those who made it.
import { createPrivateKey, createPublicKey, type KeyObject } from 'node:crypto'
import { own } from '../model/own.ts'

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
export function kindOfKey(key: KeyObject): string {
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
