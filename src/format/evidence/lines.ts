// <bundle>.intoto.jsonl: one envelope or one Sigstore bundle a line. Anybody may add lines to it, so a line that is not ours is no fault of the file.
import type { AttestationBytes, Attestations, KeylessFound } from '../../model/attestation.ts'
import { ATTESTATION_LIMITS, byteLimit, KEYLESS_LIMITS } from '../../model/limits.ts'
import { readEnvelope } from '../signature/envelope.ts'

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

/** The Sigstore bundles among the lines, each whole: a line of others stays as it is, however large. */
export function sigstoreLines(bytes: Uint8Array): readonly Uint8Array[] {
  return [...linesIn(bytes)].flatMap(({ bytes: line }) => (isSigstoreLine(line) ? [line] : []))
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
  // One byte between each two.
  if (size - 1 > allBytes) return `it has more than ${byteLimit(allBytes)}`
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

/** Whether nothing came. */
export function isNothing(came: Attestations | undefined): boolean {
  return came === undefined || (came.envelopes.length === 0 && (came.keyless?.bundles.length ?? 0) === 0)
}
