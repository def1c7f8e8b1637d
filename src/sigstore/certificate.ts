// Reads from a certificate who asked for it. Strict DER, in which each value has one form, and no more of X.509 than that. Whether the
// certificate is genuine is not decided here.
import { CERTIFIED, type CertificateFacts, type CertifiedName } from '../model/keyless.ts'

type Read =
  | { readonly ok: true; readonly facts: CertificateFacts }
  | { readonly ok: false; readonly problem: string }

const SEQUENCE = 0x30
const OID = 0x06
const BOOLEAN = 0x01
const OCTETS = 0x04
const UTF8 = 0x0c
/** `[3]` of a certificate’s first part holds its extensions. */
const EXTENSIONS = 0xa3
const RFC822 = 0x81
const URI = 0x86

/** 1.3.6.1.4.1.57264.1, without the number that follows. */
const FULCIO = Buffer.from('2b0601040183bf3001', 'hex')
const ALTERNATIVE_NAME = Buffer.from('551d11', 'hex')

const NAMES = new Map<number, CertifiedName>(
  Object.entries(CERTIFIED).map(([name, number]) => [number, name as CertifiedName]),
)

/** A certificate with two of one extension, or with two subject names, says nothing: readers could differ in which of them counts. */
export function readCertificate(bytes: Uint8Array): Read {
  const extensions = extensionsOf(bytes)
  if (extensions === undefined) return { ok: false, problem: 'its certificate is not DER' }
  const facts: { [name: string]: string } = {}
  const seen = new Set<string>()
  for (const { id, value } of extensions) {
    const key = id.toString('hex')
    if (seen.has(key)) return { ok: false, problem: 'its certificate has an extension twice' }
    seen.add(key)
    if (id.equals(ALTERNATIVE_NAME)) {
      const name = alternativeName(value)
      if (name === undefined)
        return { ok: false, problem: 'its certificate has not exactly one subject name' }
      if (name !== 'other') facts[name.kind] = name.text
    }
    const name = fulcioName(id)
    if (name === undefined) continue
    const text = utf8(value)
    if (text === undefined)
      return { ok: false, problem: `the extension for ${name} of its certificate is no text` }
    facts[name] = text
  }
  if (!seen.has(ALTERNATIVE_NAME.toString('hex')))
    return { ok: false, problem: 'its certificate has no subject name' }
  return { ok: true, facts }
}

function fulcioName(id: Buffer): CertifiedName | undefined {
  const isBelow = id.length === FULCIO.length + 1 && id.subarray(0, FULCIO.length).equals(FULCIO)
  return isBelow ? NAMES.get(id[FULCIO.length] ?? 0) : undefined
}

interface Extension {
  readonly id: Buffer
  readonly value: Buffer
}

/** Undefined unless every byte belongs to a value. */
function extensionsOf(bytes: Uint8Array): readonly Extension[] | undefined {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)
  const certificate = only(buffer, 0, buffer.length, SEQUENCE)
  const [first] = certificate === undefined ? [] : (children(buffer, certificate) ?? [])
  const parts = first?.tag === SEQUENCE ? children(buffer, first) : undefined
  const [holder, another] = parts?.filter(({ tag }) => tag === EXTENSIONS) ?? []
  if (holder === undefined || another !== undefined) return undefined
  const list = only(buffer, holder.start, holder.end, SEQUENCE)
  const all = list && children(buffer, list)
  if (all === undefined) return undefined
  const read = all.map(one => extensionOf(buffer, one))
  return read.every(one => one !== undefined) ? read : undefined
}

/** An identifier, perhaps whether it is critical, and octets. */
function extensionOf(buffer: Buffer, one: Der): Extension | undefined {
  const parts = one.tag === SEQUENCE ? children(buffer, one) : undefined
  if (parts === undefined || parts.length < 2 || parts.length > 3) return undefined
  const [id, middle] = parts
  const value = parts.at(-1)
  if (id?.tag !== OID || value?.tag !== OCTETS || (parts.length === 3 && middle?.tag !== BOOLEAN))
    return undefined
  return { id: buffer.subarray(id.start, id.end), value: buffer.subarray(value.start, value.end) }
}

function alternativeName(
  value: Buffer,
): { readonly kind: 'email' | 'uri'; readonly text: string } | 'other' | undefined {
  const list = only(value, 0, value.length, SEQUENCE)
  const names = list && children(value, list)
  const [name, another] = names ?? []
  if (name === undefined || another !== undefined) return undefined
  if (name.tag !== RFC822 && name.tag !== URI) return 'other'
  const text = value.subarray(name.start, name.end)
  // IA5: whatever else is in it is no address.
  if (text.length === 0 || text.some(byte => byte < 0x21 || byte > 0x7e)) return undefined
  return { kind: name.tag === RFC822 ? 'email' : 'uri', text: text.toString('latin1') }
}

/** An empty text says nothing, and a byte that is no text says two things to two readers. */
function utf8(value: Buffer): string | undefined {
  const inner = only(value, 0, value.length, UTF8)
  if (inner === undefined) return undefined
  const bytes = value.subarray(inner.start, inner.end)
  const text = bytes.toString('utf8')
  return text !== '' && Buffer.from(text).equals(bytes) ? text : undefined
}

/** One value: its tag, and where its content is. */
export interface Der {
  readonly tag: number
  readonly start: number
  readonly end: number
}

/** The one value in a range. */
export function only(buffer: Buffer, start: number, end: number, tag: number): Der | undefined {
  const value = valueAt(buffer, start, end)
  return value?.tag === tag && value.end === end ? value : undefined
}

/** The values in another one; undefined where they do not fill it. */
export function children(buffer: Buffer, { start, end }: Der): readonly Der[] | undefined {
  const found: Der[] = []
  for (let at = start; at < end; ) {
    const value = valueAt(buffer, at, end)
    if (value === undefined) return undefined
    found.push(value)
    at = value.end
  }
  return found
}

/** Lengths are definite and as short as they can be, tags of one byte. */
function valueAt(buffer: Buffer, at: number, end: number): Der | undefined {
  const tag = buffer[at]
  const first = buffer[at + 1]
  if (tag === undefined || first === undefined || at + 2 > end || (tag & 0x1f) === 0x1f) return undefined
  if (first < 0x80) return within(tag, at + 2, first, end)
  const count = first & 0x7f
  if (count === 0 || count > 3 || at + 2 + count > end) return undefined
  const length = buffer.readUIntBE(at + 2, count)
  const isShortest = length >= 0x80 && length >= 2 ** (8 * (count - 1))
  return isShortest ? within(tag, at + 2 + count, length, end) : undefined
}

function within(tag: number, start: number, length: number, end: number): Der | undefined {
  return start + length <= end ? { tag, start, end: start + length } : undefined
}
