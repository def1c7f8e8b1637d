// The text that holds a key, as people carry it → PEM, or the name of what it is. Variables of pipelines hold PEM with `\\n` for line ends,
// or in base64.
import { publicKey } from './ed25519.ts'
import { publicPem } from './pkcs8.ts'

/** The same text as PEM with line ends. A text of another form stays. */
export function asPem(text: string): string {
  const trimmed = text.replace(/^\ufeff/, '').trim()
  const pem = isPem(trimmed) ? trimmed : (fromBase64(trimmed) ?? trimmed)
  if (!isPem(pem)) return fromSshLine(pem) ?? text
  if (pem.includes('\n')) return pem
  return pem.replace(/\\r?\\n|\\n|\\r/g, '\n')
}

/** What a text is that holds no key of ours, with a way to one; undefined if it is nothing known. */
export function foreignKey(text: string): { readonly is: string; readonly hint: string } | undefined {
  const known = FOREIGN.find(([pattern]) => pattern.test(text))
  return known && { is: known[1], hint: known[2] ?? MAKE_ONE }
}

const MAKE_ONE = 'Signatures are Ed25519: make a key with rlp key generate NAME'
const FOREIGN: readonly (readonly [pattern: RegExp, is: string, hint?: string])[] = [
  [/-----BEGIN EC (?:PRIVATE KEY|PARAMETERS)-----/, 'an EC key'],
  [/-----BEGIN RSA (?:PRIVATE|PUBLIC) KEY-----/, 'an RSA key'],
  [/-----BEGIN DSA PRIVATE KEY-----/, 'a DSA key'],
  [
    /-----BEGIN OPENSSH PRIVATE KEY-----/,
    'a private key of OpenSSH, which has a format of its own',
    'Make a key with rlp key generate NAME: a key that signs bundles should open no shell',
  ],
  [/^(?:ssh-rsa|ssh-dss|ecdsa-sha2-\S+|sk-\S+) /, 'a public key of OpenSSH, and not Ed25519'],
  [/-----BEGIN CERTIFICATE-----/, 'a certificate', 'Name the key, in PEM: rlp knows no certificates'],
  [/-----BEGIN PGP /, 'a key of OpenPGP'],
  [/^PuTTY-User-Key-File/, 'a key of PuTTY'],
  [
    /-----BEGIN ENCRYPTED COSIGN PRIVATE KEY-----|-----BEGIN ENCRYPTED SIGSTORE PRIVATE KEY-----/,
    'a key of cosign',
  ],
  [/^untrusted comment:/, 'a key of minisign'],
]

function isPem(text: string): boolean {
  return text.startsWith('-----BEGIN ')
}

/** Of PEM that was encoded in base64 once more. */
function fromBase64(text: string): string | undefined {
  const plain = text.replace(/\s+/g, '')
  // `-----BEGIN ` in base64 begins so.
  if (!/^LS0tLS1CRUdJTi[A-Za-z0-9+/]*={0,2}$/.test(plain)) return undefined
  return Buffer.from(plain, 'base64').toString('latin1').trim()
}

/** `ssh-ed25519 AAAA… comment` → the same key in PEM. */
function fromSshLine(line: string): string | undefined {
  const [, encoded = ''] = /^ssh-ed25519 ([A-Za-z0-9+/]+={0,2})(?: [^\n]*)?$/.exec(line) ?? []
  const blob = Buffer.from(encoded, 'base64')
  // Two texts with their lengths before them: the algorithm, and 32 bytes.
  const isKey = blob.length === 51 && blob.toString('latin1', 4, 15) === 'ssh-ed25519' && blob[18] === 32
  if (!isKey) return undefined
  try {
    return publicPem(publicKey(new Uint8Array(blob.subarray(19))))
  } catch {
    // 32 bytes that are no point of the curve.
    return undefined
  }
}
