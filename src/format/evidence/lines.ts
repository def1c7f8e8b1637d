// <bundle>.intoto.jsonl: one envelope or one Sigstore bundle a line. Anybody may add lines to it, so a line that is not ours is no fault of the file.
import type { AttestationBytes, Attestations, KeylessFound } from '../../model/attestation.ts'
import { ATTESTATION_LIMITS, byteLimit, KEYLESS_LIMITS } from '../../model/limits.ts'
import { readEnvelope, type SignatureEnvelope, writeEnvelope } from '../signature/envelope.ts'
import { readAttested } from './statement.ts'

const NEWLINE = 10

/** What a bundle's file of attestations is called. */
export function besideBundle(path: string): string {
  let end = path.length
  while (end > 0 && '/\\'.includes(path.charAt(end - 1))) end--
  return `${path.slice(0, end)}.intoto.jsonl`
}

/** Of a file that is read at all: what both kinds of lines may have. */
export const MOST_FILE_BYTES: number = ATTESTATION_LIMITS.allBytes + KEYLESS_LIMITS.allBytes

/**
 * Whether a line is a Sigstore bundle. Nothing is parsed for it: an envelope of ours is canonical JSON of base64 and key ids, in which these letters
 * with their quotation marks cannot be.
 */
export function isSigstoreLine(line: Uint8Array): boolean {
  return Buffer.from(line.buffer, line.byteOffset, line.length).includes('"verificationMaterial"')
}

/**
 * Never throws, whatever the bytes are. Envelopes and Sigstore bundles have limits of their own, so that strangers who add many of one kind push none
 * of the other out: beyond theirs no envelope is read, and no further Sigstore bundle.
 */
export function readAttestations(label: string, bytes: Uint8Array): Attestations {
  if (bytes.length > MOST_FILE_BYTES) {
    const problem = { why: 'limit', message: `it has more than ${byteLimit(MOST_FILE_BYTES)}` } as const
    return { label, envelopes: [], problem, keyless: { bundles: [], problem } }
  }
  const envelopes: AttestationBytes[] = []
  const bundles: AttestationBytes[] = []
  for (const line of linesIn(bytes)) (isSigstoreLine(line.bytes) ? bundles : envelopes).push(line)
  const keyless = bundles.length === 0 ? {} : { keyless: keylessWithin(bundles) }
  const message = tooMany(envelopes)
  if (message !== undefined) return { label, envelopes: [], problem: { why: 'limit', message }, ...keyless }
  return { label, envelopes, problem: undefined, ...keyless }
}

function* linesIn(bytes: Uint8Array): Generator<AttestationBytes> {
  let line = 0
  for (let start = 0; start < bytes.length; ) {
    const found = bytes.indexOf(NEWLINE, start)
    const end = found === -1 ? bytes.length : found
    line++
    if (end > start) yield { where: `line ${line}`, bytes: bytes.slice(start, end) }
    start = end + 1
  }
}

function tooMany(envelopes: readonly AttestationBytes[]): string | undefined {
  const { allBytes, envelopes: most } = ATTESTATION_LIMITS
  const size = envelopes.reduce((sum, { bytes }) => sum + bytes.length + 1, 0)
  // The last line need not end.
  if (size > allBytes + 1) return `it has more than ${byteLimit(allBytes)}`
  return envelopes.length > most ? `it has more than ${most} envelopes` : undefined
}

/** The first ones. Of one that is too large so much is kept that it is refused for its size: it takes no more place than it may. */
export function keylessWithin(bundles: readonly AttestationBytes[]): KeylessFound {
  const kept: AttestationBytes[] = []
  let size = 0
  for (const { where, bytes } of bundles) {
    const one = bytes.subarray(0, KEYLESS_LIMITS.bytes + 1)
    size += one.length
    if (size > KEYLESS_LIMITS.allBytes) {
      const message = `it has more than ${byteLimit(KEYLESS_LIMITS.allBytes)} of Sigstore bundles`
      return { bundles: kept, problem: { why: 'limit', message } }
    }
    kept.push({ where, bytes: one })
  }
  return { bundles: kept, problem: undefined }
}

export function writeAttestations(lines: readonly Uint8Array[]): Uint8Array {
  return Buffer.concat(lines.flatMap(bytes => [bytes, Buffer.of(NEWLINE)]))
}

/** An envelope of evidence, in the form that signatures of bundles have. */
export function readAttestation(bytes: Uint8Array) {
  return readEnvelope(bytes, ATTESTATION_LIMITS.allBytes)
}

/**
 * The envelopes with one more. A second signature on the same statement goes into its envelope. What the same keys stated before in a
 * statement of the same type about the same manifest is replaced.
 */
export function withAttestation(
  envelopes: readonly Uint8Array[],
  added: SignatureEnvelope,
): readonly Uint8Array[] {
  const read = envelopes.map(bytes => readAttestation(bytes))
  const same = read.findIndex(one => one.ok && Buffer.compare(one.value.payload, added.payload) === 0)
  const at = same >= 0 ? same : read.findIndex(one => one.ok && isRestated(one.value, added))
  const before = read[at]
  if (before?.ok !== true) return [...envelopes, writeEnvelope(added)]
  const keyids = new Set(added.signatures.map(({ keyid }) => keyid))
  const others = same < 0 ? [] : before.value.signatures.filter(({ keyid }) => !keyids.has(keyid))
  const merged = writeEnvelope({ payload: added.payload, signatures: [...others, ...added.signatures] })
  return envelopes.map((bytes, index) => (index === at ? merged : bytes))
}

function isRestated(before: SignatureEnvelope, added: SignatureEnvelope): boolean {
  const keys = ({ signatures }: SignatureEnvelope) => signatures.map(({ keyid }) => keyid).join(' ')
  if (keys(before) !== keys(added)) return false
  const [old, now] = [readAttested(before.payload), readAttested(added.payload)]
  if (!old.ok || !now.ok || old.value.predicateType !== now.value.predicateType) return false
  const manifest = (subjects: typeof now.value.subjects) =>
    subjects.find(({ digest }) => digest['blake3'] !== undefined)?.digest['blake3']
  const about = manifest(now.value.subjects)
  return about !== undefined && manifest(old.value.subjects) === about
}

/** Whether nothing came. */
export function isNothing(came: Attestations | undefined): boolean {
  return came === undefined || (came.envelopes.length === 0 && (came.keyless?.bundles.length ?? 0) === 0)
}

/** The Sigstore bundles of a file with one more, unless it is there. */
export function withKeyless(bundles: readonly Uint8Array[], added: Uint8Array): readonly Uint8Array[] {
  return bundles.some(one => Buffer.compare(one, added) === 0) ? bundles : [...bundles, added]
}

/**
 * All of the first and as many of the others as there is room for, each once: what is installed keeps what its predecessor came with. Envelopes
 * come before Sigstore bundles.
 */
export function joinAttestations(...all: readonly (Attestations | undefined)[]): Uint8Array {
  const envelopes = all.flatMap(one => one?.envelopes ?? [])
  const bundles = all.flatMap(one => one?.keyless?.bundles ?? [])
  const { allBytes, envelopes: most } = ATTESTATION_LIMITS
  return writeAttestations([
    ...withinRoom(envelopes, allBytes, most),
    ...withinRoom(bundles, KEYLESS_LIMITS.allBytes, Number.POSITIVE_INFINITY),
  ])
}

function withinRoom(
  list: readonly AttestationBytes[],
  allBytes: number,
  most: number,
): readonly Uint8Array[] {
  const lines = new Map<string, Uint8Array>()
  let size = 0
  for (const { bytes } of list) {
    const line = Buffer.from(bytes).toString('latin1')
    const isRoom = size + bytes.length < allBytes && lines.size < most
    if (lines.has(line) || !isRoom) continue
    lines.set(line, bytes)
    size += bytes.length + 1
  }
  return [...lines.values()]
}
