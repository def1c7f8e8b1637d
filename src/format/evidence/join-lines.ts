// Lines of files of attestations → those of one file: with one more, or of several files together.
import type { AttestationBytes, Attestations } from '../../model/attestation.ts'
import { ATTESTATION_LIMITS, KEYLESS_LIMITS } from '../../model/limits.ts'
import { type SignatureEnvelope, writeEnvelope } from '../signature/envelope.ts'
import { readAttestation, writeAttestations } from './lines.ts'
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
