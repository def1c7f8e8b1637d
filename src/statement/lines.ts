// <bundle>.intoto.jsonl: one envelope or one Sigstore bundle a line. Anybody may add lines to it, so a line that is not ours is no fault of the file.
import type {
  AttestationBytes,
  Attestations,
  AttestationsProblem,
  KeylessFound,
} from '../model/attestation.ts'
import { ATTESTATION_LIMITS, byteLimit, KEYLESS_LIMITS } from '../model/limits.ts'
import { readEnvelope } from '../signature/envelope.ts'
import { BUNDLES_ROOM, ENVELOPES_ROOM, Within } from './within.ts'

export const NEWLINE = 10
const SPACE = 32
const COLON = 58
/** Blank, tab and carriage return: what JSON may have before a colon, in one line. */
const BLANKS: readonly number[] = [SPACE, 9, 13]
const MEMBER = '"verificationMaterial"'

/** Of a file that is read at all: what both kinds of lines may have. */
export const MOST_FILE_BYTES: number = ATTESTATION_LIMITS.allBytes + KEYLESS_LIMITS.allBytes

/**
 * Whether a line is a Sigstore bundle. Nothing is parsed for it. An envelope that may count has no such member, and in its texts every quotation
 * mark has a backslash before it.
 */
export function isSigstoreLine(line: Uint8Array): boolean {
  if (line.length <= MEMBER.length) return false
  const bytes = Buffer.from(line.buffer, line.byteOffset, line.length)
  for (let at = bytes.indexOf(MEMBER); at !== -1; at = bytes.indexOf(MEMBER, at + MEMBER.length)) {
    let after = at + MEMBER.length
    while (BLANKS.includes(bytes[after] ?? COLON)) after++
    if (bytes[after] === COLON) return true
  }
  return false
}

/**
 * A Sigstore bundle as one line. Outside of a text, JSON says the same with another blank; inside of one it has no line feed.
 * @returns undefined if a file of attestations would not have it as a Sigstore bundle
 */
export function sigstoreLine(bytes: Uint8Array): Uint8Array | undefined {
  const line = bytes.map(byte => (byte === NEWLINE ? SPACE : byte))
  return isSigstoreLine(line) ? line : undefined
}

/**
 * Never throws, whatever the bytes are. Envelopes and Sigstore bundles have limits of their own, so that strangers who add many of one kind push none
 * of the other out: beyond theirs, no further one is read.
 */
export function readAttestations(label: string, bytes: Uint8Array): Attestations {
  if (bytes.length > MOST_FILE_BYTES) {
    const problem = { why: 'limit', message: `it has more than ${byteLimit(MOST_FILE_BYTES)}` } as const
    return { label, envelopes: [], problem, keyless: { bundles: [], problem } }
  }
  const envelopes = new Within(ENVELOPES_ROOM)
  const bundles = new Within(BUNDLES_ROOM)
  eachLine(bytes, line => (isSigstoreLine(line.bytes) ? bundles : envelopes).add(line))
  const keyless = bundles.isEmpty ? {} : { keyless: keylessIn(bundles) }
  return { label, envelopes: envelopes.kept, problem: limitOf(envelopes), ...keyless }
}

/** Whether these are so few that no signer can have more than are read of one. */
export function areFew(envelopes: readonly AttestationBytes[]): boolean {
  const { signerEnvelopes, signerBytes } = ATTESTATION_LIMITS
  const bytes = envelopes.reduce((sum, one) => sum + one.bytes.length, 0)
  return envelopes.length <= signerEnvelopes && bytes <= signerBytes
}

function limitOf({ problem }: Within): AttestationsProblem | undefined {
  return problem === undefined ? undefined : { why: 'limit', message: problem }
}

function keylessIn(within: Within): KeylessFound {
  return { bundles: within.kept, problem: limitOf(within) }
}

/** The Sigstore bundles among the lines, each whole: a line of others stays as it is, however large. */
export function sigstoreLines(bytes: Uint8Array): readonly Uint8Array[] {
  const found: Uint8Array[] = []
  eachLine(bytes, ({ bytes: line }) => {
    if (isSigstoreLine(line)) found.push(line)
  })
  return found
}

/** Visits the lines one after the other: there may be millions. They share the bytes of the file. */
function eachLine(bytes: Uint8Array, visit: (line: AttestationBytes) => void): void {
  let line = 0
  for (let start = 0; start < bytes.length; ) {
    const found = bytes.indexOf(NEWLINE, start)
    const end = found === -1 ? bytes.length : found
    line++
    if (end > start) visit({ where: `line ${line}`, bytes: bytes.subarray(start, end) })
    start = end + 1
  }
}

export function writeAttestations(lines: readonly Uint8Array[]): Uint8Array {
  return Buffer.concat(lines.flatMap(bytes => [bytes, Buffer.of(NEWLINE)]))
}

/** An envelope of evidence, in the form that signatures of bundles have. */
export function readAttestation(bytes: Uint8Array) {
  return readEnvelope(bytes, ATTESTATION_LIMITS.bytes)
}

/** Whether nothing came. */
export function isNothing(came: Attestations | undefined): boolean {
  return came === undefined || (came.envelopes.length === 0 && (came.keyless?.bundles.length ?? 0) === 0)
}
