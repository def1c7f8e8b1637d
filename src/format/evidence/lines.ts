// <bundle>.intoto.jsonl: one envelope a line. Anybody may add lines to it, so a line that is not ours is no fault of the file.
import type { AttestationBytes, Attestations } from '../../model/attestation.ts'
import { ATTESTATION_LIMITS, byteLimit } from '../../model/limits.ts'
import { readEnvelope, type SignatureEnvelope, writeEnvelope } from '../signature/envelope.ts'
import { readAttested } from './statement.ts'

const NEWLINE = 10

/** What a bundle's file of attestations is called. */
export function besideBundle(path: string): string {
  let end = path.length
  while (end > 0 && '/\\'.includes(path.charAt(end - 1))) end--
  return `${path.slice(0, end)}.intoto.jsonl`
}

/** Never throws, whatever the bytes are. Beyond a limit nothing is read. */
export function readAttestations(label: string, bytes: Uint8Array): Attestations {
  const { allBytes, envelopes: most } = ATTESTATION_LIMITS
  const refused = (message: string): Attestations => ({
    label,
    envelopes: [],
    problem: { why: 'limit', message },
  })
  if (bytes.length > allBytes) return refused(`it has more than ${byteLimit(allBytes)}`)
  const envelopes: AttestationBytes[] = []
  let line = 0
  for (let start = 0; start < bytes.length; ) {
    const found = bytes.indexOf(NEWLINE, start)
    const end = found === -1 ? bytes.length : found
    line++
    if (end > start) envelopes.push({ where: `line ${line}`, bytes: bytes.slice(start, end) })
    if (envelopes.length > most) return refused(`it has more than ${most} envelopes`)
    start = end + 1
  }
  return { label, envelopes, problem: undefined }
}

export function writeAttestations(envelopes: readonly Uint8Array[]): Uint8Array {
  return Buffer.concat(envelopes.flatMap(bytes => [bytes, Buffer.of(NEWLINE)]))
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

/** All of the first and as many of the others as there is room for, each once: what is installed keeps what its predecessor came with. */
export function joinAttestations(
  first: readonly AttestationBytes[],
  others: readonly AttestationBytes[],
): Uint8Array {
  const lines = new Map<string, Uint8Array>()
  let size = 0
  for (const { bytes } of [...first, ...others]) {
    const line = Buffer.from(bytes).toString('latin1')
    const isRoom =
      size + bytes.length < ATTESTATION_LIMITS.allBytes && lines.size < ATTESTATION_LIMITS.envelopes
    if (lines.has(line) || !isRoom) continue
    lines.set(line, bytes)
    size += bytes.length + 1
  }
  return writeAttestations([...lines.values()])
}
