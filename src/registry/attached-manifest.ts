// A manifest that is listed as attached to a bundle → the envelope that it leads to, or why it is not read.
import { readAttestationManifest, readSignatureManifest } from '../format/oci/manifest.ts'
import { ATTESTATION_LIMITS, byteLimit, MAX_ENVELOPE_BYTES } from '../model/limits.ts'
import type { OciManifest, StoredManifest } from '../model/oci.ts'
import type { Reading } from '../model/reading.ts'

export interface AttachedEnvelope extends OciManifest {
  /** A statement; otherwise a signature. */
  readonly isStatement: boolean
}

/** @param subject `sha256:…` of the manifest that it has to be attached to */
export function readAttachedManifest(
  { bytes, mediaType }: StoredManifest,
  subject: string,
): Reading<AttachedEnvelope> {
  const stated = readAttestationManifest(bytes, mediaType)
  const isStatement = 'value' in stated && stated.value.subject?.digest === subject
  const read = isStatement ? stated : readSignatureManifest(bytes, mediaType)
  if ('problem' in read) return read
  const { value } = read
  if (value.subject?.digest !== subject) return { problem: 'it is attached to another manifest' }
  const most = isStatement ? ATTESTATION_LIMITS.allBytes : MAX_ENVELOPE_BYTES
  if (value.layer.size > most)
    return { problem: `its envelope has ${value.layer.size} bytes; one has at most ${byteLimit(most)}` }
  return { value: { ...value, isStatement } }
}
