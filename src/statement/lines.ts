// <bundle>.intoto.jsonl: one envelope or one Sigstore bundle a line. Anybody may add lines, so an unknown line is no fault of the file.
// Only the first ones that fit the limits are kept (docs/spec/evidence.md, V-3).
import type {
  AttestationBytes,
  Attestations,
  AttestationsProblem,
  KeylessFound,
} from '../model/attestation.ts'
import { ATTESTATION_LIMITS, byteLimit, KEYLESS_LIMITS } from '../model/limits.ts'
import { readEnvelope } from '../signature/envelope.ts'

/** What lines of one kind may have together. */
export interface LineRoom {
  readonly lines: number
  readonly bytes: number
  /** So many bytes of one are kept, and count: one that is too large takes no more place than it may. */
  readonly most: number
  /** What they are called, after a number. */
  readonly name: string
  /** The same, after *more than 4 MiB*. */
  readonly after: string
}

export const ENVELOPES_ROOM: LineRoom = {
  lines: ATTESTATION_LIMITS.lines,
  bytes: ATTESTATION_LIMITS.allBytes,
  most: ATTESTATION_LIMITS.bytes + 1,
  name: 'envelopes',
  after: '',
}

export const BUNDLES_ROOM: LineRoom = {
  lines: KEYLESS_LIMITS.bundles,
  bytes: KEYLESS_LIMITS.allBytes,
  most: KEYLESS_LIMITS.bytes + 1,
  name: 'Sigstore bundles',
  after: ' of Sigstore bundles',
}

export class Within {
  readonly kept: AttestationBytes[] = []
  readonly #room: LineRoom
  #lines = 0
  #bytes = 0

  constructor(room: LineRoom) {
    this.#room = room
  }

  get isEmpty(): boolean {
    return this.#lines === 0
  }

  /** Why there are more than are kept; undefined if there are not. */
  get problem(): string | undefined {
    return this.#problemOf(this.#lines, this.#bytes)
  }

  /** Whether the next one would be kept. */
  hasRoomFor({ bytes }: AttestationBytes): boolean {
    return this.#problemOf(this.#lines + 1, this.#bytes + this.#sizeOf(bytes)) === undefined
  }

  /** Kept, unless it or an earlier one is too much. */
  add({ where, bytes }: AttestationBytes): void {
    this.#lines++
    this.#bytes += this.#sizeOf(bytes)
    if (this.problem === undefined) this.kept.push({ where, bytes: bytes.slice(0, this.#room.most) })
  }

  #sizeOf({ length }: Uint8Array): number {
    return Math.min(length, this.#room.most)
  }

  #problemOf(lines: number, ofLines: number): string | undefined {
    const { lines: most, bytes, name, after } = this.#room
    if (ofLines > bytes) return `it has more than ${byteLimit(bytes)}${after}`
    return lines > most ? `it has more than ${most} ${name}` : undefined
  }
}

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
