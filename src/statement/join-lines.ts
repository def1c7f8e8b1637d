// Lines of files of attestations → those of one file: with one more, or of several files together.
import type { AttestationBytes, Attestations } from '../model/attestation.ts'
import { ATTESTATION_LIMITS, KEYLESS_LIMITS } from '../model/limits.ts'
import { type SignatureEnvelope, writeEnvelope } from '../signature/envelope.ts'
import {
  BUNDLES_ROOM,
  ENVELOPES_ROOM,
  isSigstoreLine,
  type LineRoom,
  MOST_FILE_BYTES,
  NEWLINE,
  readAttestation,
  Within,
  writeAttestations,
} from './lines.ts'
import { readAttested } from './statement.ts'

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

/**
 * The first ones and as many of the others as there is room for, each once: what is installed keeps what its predecessor came with. Envelopes come
 * before Sigstore bundles. What could not count is left out, so that each line is read as what it was.
 */
export function joinAttestations(...all: readonly (Attestations | undefined)[]): Uint8Array {
  const envelopes = all.flatMap(one => one?.envelopes ?? []).filter(isEnvelopeLine)
  const bundles = all.flatMap(one => one?.keyless?.bundles ?? []).filter(isBundleLine)
  const file = { left: MOST_FILE_BYTES }
  return writeAttestations([
    ...withinRoom(envelopes, ENVELOPES_ROOM, file),
    ...withinRoom(bundles, BUNDLES_ROOM, file),
  ])
}

function isEnvelopeLine({ bytes }: AttestationBytes): boolean {
  const isSmall = bytes.length > 0 && bytes.length <= ATTESTATION_LIMITS.bytes
  return isSmall && !bytes.includes(NEWLINE) && !isSigstoreLine(bytes)
}

function isBundleLine({ bytes }: AttestationBytes): boolean {
  return bytes.length <= KEYLESS_LIMITS.bytes && !bytes.includes(NEWLINE) && isSigstoreLine(bytes)
}

function withinRoom(
  list: readonly AttestationBytes[],
  room: LineRoom,
  file: { left: number },
): readonly Uint8Array[] {
  const within = new Within(room)
  const known = new Set<string>()
  for (const one of list) {
    const line = lineKey(one)
    const size = one.bytes.length + 1
    if (known.has(line) || size > file.left || !within.hasRoomFor(one)) continue
    known.add(line)
    within.add(one)
    file.left -= size
  }
  return within.kept.map(({ bytes }) => bytes)
}

/** The same for the same bytes alone. */
export function lineKey({ bytes }: AttestationBytes): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('latin1')
}
