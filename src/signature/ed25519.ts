// Ed25519 keys and signatures, with the checks that `node:crypto` leaves out, so that every version of Node gives the same answer
// (docs/spec/signature.md, S-11 to S-17).
import { createPublicKey, type KeyObject, verify } from 'node:crypto'

/** DER of a SubjectPublicKeyInfo up to the 32 key bytes (RFC 8410, §4). */
const SPKI_HEAD = Buffer.from('302a300506032b6570032100', 'hex')

const P = 2n ** 255n - 19n
const MOST_Y = 2n ** 255n - 1n
/** RFC 8032, §5.1: -121665/121666. */
const D = 0x52036cee2b6ffe738cc740797779e89800700a4d4141d8ab75eb4dca135978a3n
/** The y of a point of order 8; the others have this or its negative. */
const Y8 = 0x7a03ac9277fdc74ec6cc392cfa53202a0f67100d760b3cba4fd84d3d706a17c7n
/** The y of all eight points whose order divides 8: no other point has one of these. */
const SMALL_ORDER: readonly bigint[] = [0n, 1n, P - 1n, Y8, P - Y8]

/** Why 32 bytes are not a usable public key; undefined if they are. Computed once for each key. */
export function ed25519KeyProblem(key: Uint8Array): string | undefined {
  const name = nameOf(key)
  if (!judged.has(name)) {
    if (judged.size >= MOST_JUDGED) judged.clear()
    judged.set(name, findProblem(key))
  }
  return judged.get(name)
}

const judged = new Map<string, string | undefined>()
/** A bundle chooses its key ids, so the number of remembered keys is bounded. */
const MOST_KEYS = 1000
/** More than a trust policy of a large house has. */
const MOST_JUDGED = 10_000

function nameOf(key: Uint8Array): string {
  return Buffer.from(key).toString('latin1')
}

function findProblem(key: Uint8Array): string | undefined {
  if (key.length !== 32) return `has ${key.length} bytes, not 32`
  if (!isOnCurve(key)) return 'is not the canonical encoding of a point on the curve'
  return SMALL_ORDER.includes(yOf(key)) ? 'is of small order: anyone can sign for it' : undefined
}

/**
 * Whether a signature is one of `key` over `message`.
 * @param key 32 bytes without {@link ed25519KeyProblem}
 * @param signature 64 bytes; R of small order is refused here, S out of range by `node:crypto`
 */
export function isEd25519Signature(key: Uint8Array, message: Uint8Array, signature: Uint8Array): boolean {
  if (signature.length !== 64) return false
  // R off the curve or not canonical never equals the one that the verifier computes; one of small order might.
  if (SMALL_ORDER.includes(yOf(signature.subarray(0, 32)))) return false
  return verify(null, message, knownKey(key), signature)
}

/** Making a key object takes as long as verifying with it, and a runtime sees the same few signers all the time. */
function knownKey(key: Uint8Array): KeyObject {
  const name = nameOf(key)
  const known = keys.get(name) ?? publicKey(key)
  if (keys.size >= MOST_KEYS) keys.clear()
  keys.set(name, known)
  return known
}

const keys = new Map<string, KeyObject>()

/** The key as JWK (RFC 8037, §2), which `node:crypto` reads directly; DER would go through OpenSSL's decoders. */
export function publicKey(key: Uint8Array): KeyObject {
  const x = Buffer.from(key).toString('base64url')
  return createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' })
}

/** The 32 bytes of a key; undefined for keys of other algorithms. */
export function rawPublicKey(key: KeyObject): Uint8Array | undefined {
  if (key.asymmetricKeyType !== 'ed25519') return undefined
  const half = key.type === 'private' ? createPublicKey(key) : key
  const der = half.export({ format: 'der', type: 'spki' })
  return new Uint8Array(der.subarray(SPKI_HEAD.length))
}

/** The bytes of padded base64 in its one canonical spelling, else undefined. */
export function canonicalBase64(text: string): Buffer | undefined {
  const bytes = Buffer.from(text, 'base64')
  return bytes.toString('base64') === text ? bytes : undefined
}

/** The y of 32 bytes, little-endian; the top bit is the sign of x. */
function yOf(bytes: Uint8Array): bigint {
  return BigInt(`0x${Buffer.from(bytes).reverse().toString('hex')}`) & MOST_Y
}

/** Whether 32 bytes decode (RFC 8032, §5.1.3), which refuses y beyond p and the sign of zero. */
function isOnCurve(bytes: Uint8Array): boolean {
  const y = yOf(bytes)
  if (y >= P) return false
  const u = mod(y * y - 1n)
  const v = mod(D * y * y + 1n)
  // x² = u/v has a root if v·x² is u, or -u and x takes a root of -1 on.
  const v3 = mod(mod(v * v) * v)
  const x = mod(mod(u * v3) * rootPower(mod(u * mod(mod(v3 * v3) * v))))
  const check = mod(v * x * x)
  const isNegative = ((bytes[31] ?? 0) & 0x80) !== 0
  return (check === u || check === mod(-u)) && !(x === 0n && isNegative)
}

function mod(value: bigint): bigint {
  const rest = value % P
  return rest < 0n ? rest + P : rest
}

/** base^((p - 5) / 8). The exponent is 2^252 - 3, 250 ones and then 01: powers of 2^n - 1 are joined, which saves half of the multiplications. */
function rootPower(base: bigint): bigint {
  const joined = (ones: bigint, more: bigint, count: number) => mod(squared(ones, count) * more)
  let ones5 = base
  for (let n = 1; n < 5; n++) ones5 = joined(ones5, base, 1)
  const ones10 = joined(ones5, ones5, 5)
  const ones20 = joined(ones10, ones10, 10)
  const ones40 = joined(ones20, ones20, 20)
  const ones50 = joined(ones40, ones10, 10)
  const ones100 = joined(ones50, ones50, 50)
  const ones200 = joined(ones100, ones100, 100)
  const ones250 = joined(ones200, ones50, 50)
  return joined(ones250, base, 2)
}

function squared(base: bigint, times: number): bigint {
  let result = base
  for (let n = 0; n < times; n++) result = mod(result * result)
  return result
}
