// Ed25519 keys and signatures, with the checks that `node:crypto` leaves out (DESIGN §3.6), so that every version of Node answers alike.
import { createPublicKey, type KeyObject, verify } from 'node:crypto'

/** The prefix of an anchor string and of a key id. */
const PREFIX = 'ed25519:'
/** DER of a SubjectPublicKeyInfo up to the 32 key bytes (RFC 8410, §4). */
const SPKI_HEAD = Buffer.from('302a300506032b6570032100', 'hex')

const P = 2n ** 255n - 19n
/** RFC 8032, §5.1: d = -121665/121666 and a square root of -1. */
const D = mod(-121665n * power(121666n, P - 2n))
const SQRT_MINUS_1 = power(2n, (P - 1n) / 4n)

/** What is wrong with 32 bytes as a public key, or undefined. Computed once for each key. */
export function keyProblem(key: Uint8Array): string | undefined {
  const name = Buffer.from(key).toString('latin1')
  if (!judged.has(name)) {
    // Bundles choose their key ids, so the memory of judged keys is bounded.
    if (judged.size >= 1000) judged.clear()
    judged.set(name, judge(key))
  }
  return judged.get(name)
}

const judged = new Map<string, string | undefined>()

function judge(key: Uint8Array): string | undefined {
  if (key.length !== 32) return `has ${key.length} bytes, not 32`
  const point = decode(key)
  if (point === undefined) return 'is not the canonical encoding of a point on the curve'
  return isSmallOrder(point) ? 'is of small order: anyone can sign for it' : undefined
}

/**
 * Whether a signature is one of `key` over `message`.
 *
 * @param key 32 bytes without {@link keyProblem}
 * @param signature 64 bytes; R of small order is refused, S out of range by `node:crypto`
 */
export function isSignature(key: Uint8Array, message: Uint8Array, signature: Uint8Array): boolean {
  if (signature.length !== 64) return false
  // A non-canonical R never equals the one that the verifier computes; a canonical one of small order might.
  const r = decode(signature.subarray(0, 32))
  if (r === undefined || isSmallOrder(r)) return false
  return verify(null, message, publicKey(key), signature)
}

/** The key as `node:crypto` wants it. */
export function publicKey(key: Uint8Array): KeyObject {
  return createPublicKey({ key: Buffer.concat([SPKI_HEAD, key]), format: 'der', type: 'spki' })
}

/** The 32 bytes of a key; undefined for keys of other algorithms. */
export function rawPublicKey(key: KeyObject): Uint8Array | undefined {
  if (key.asymmetricKeyType !== 'ed25519') return undefined
  const half = key.type === 'private' ? createPublicKey(key) : key
  const der = half.export({ format: 'der', type: 'spki' })
  return new Uint8Array(der.subarray(SPKI_HEAD.length))
}

/** `ed25519:` and the base64 of the key: how anchors and key ids are written. */
export function anchorString(key: Uint8Array): string {
  return PREFIX + Buffer.from(key).toString('base64')
}

/** An anchor string as people write it, base64 or hex → the key, or what is wrong with it. */
export function readAnchor(text: string): { readonly key: Uint8Array } | { readonly problem: string } {
  if (!text.startsWith(PREFIX)) return { problem: `does not begin with ${PREFIX}` }
  const body = text.slice(PREFIX.length)
  const key = /^[0-9a-fA-F]{64}$/.test(body) ? Buffer.from(body, 'hex') : canonicalBase64(body)
  if (key === undefined) return { problem: 'is neither padded base64 nor hex' }
  const problem = keyProblem(key)
  return problem === undefined ? { key: new Uint8Array(key) } : { problem }
}

/** The bytes of padded base64 in its one canonical spelling, else undefined. */
export function canonicalBase64(text: string): Buffer | undefined {
  const bytes = Buffer.from(text, 'base64')
  return bytes.toString('base64') === text ? bytes : undefined
}

interface Point {
  readonly x: bigint
  readonly y: bigint
}

/** RFC 8032, §5.1.3, refusing y beyond p and the sign of zero. */
function decode(bytes: Uint8Array): Point | undefined {
  let y = 0n
  for (let i = 31; i >= 0; i--) y = (y << 8n) | BigInt(bytes[i] ?? 0)
  const sign = y >> 255n
  y &= 2n ** 255n - 1n
  if (y >= P) return undefined
  const u = mod(y * y - 1n)
  const v = mod(D * y * y + 1n)
  let x = mod(u * power(v, 3n) * power(mod(u * power(v, 7n)), (P - 5n) / 8n))
  const check = mod(v * x * x)
  if (check !== u) {
    if (check !== mod(-u)) return undefined
    x = mod(x * SQRT_MINUS_1)
  }
  if (x === 0n && sign === 1n) return undefined
  return { x: (x & 1n) === sign ? x : mod(-x), y }
}

/** Whether eight times the point is the neutral element. */
function isSmallOrder(point: Point): boolean {
  // Doubling in projective coordinates (RFC 8032, §5.1.4): no inversions.
  let [x, y, z] = [point.x, point.y, 1n]
  for (let i = 0; i < 3; i++) {
    const b = mod((x + y) ** 2n)
    const c = mod(x * x)
    const d = mod(y * y)
    const f = mod(d - c)
    const j = mod(f - 2n * z * z)
    ;[x, y, z] = [mod((b - c - d) * j), mod(f * mod(-c - d)), mod(f * j)]
  }
  return x === 0n && y === z
}

function mod(value: bigint): bigint {
  const rest = value % P
  return rest < 0n ? rest + P : rest
}

function power(base: bigint, exponent: bigint): bigint {
  let result = 1n
  let square = mod(base)
  for (let e = exponent; e > 0n; e >>= 1n) {
    if (e & 1n) result = mod(result * square)
    square = mod(square * square)
  }
  return result
}
