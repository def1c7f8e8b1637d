// A manifest that is listed as attached to a bundle → the envelope that it leads to, or why it is not read.

import { ATTESTATION_LIMITS, byteLimit, KEYLESS_LIMITS, MAX_ENVELOPE_BYTES } from '../model/limits.ts'
import type { OciManifest, StoredManifest } from '../model/oci.ts'
import type { Reading } from '../model/reading.ts'
import { readAttestationManifest, readSignatureManifest, readSigstoreManifest } from '../oci/manifest.ts'

/** What a manifest beside a bundle may hold. */
export const ATTACHED_KINDS = {
  statement: { read: readAttestationManifest, most: ATTESTATION_LIMITS.bytes },
  keyless: { read: readSigstoreManifest, most: KEYLESS_LIMITS.bytes },
  signature: { read: readSignatureManifest, most: MAX_ENVELOPE_BYTES },
} as const satisfies Readonly<Record<AttachedKind, object>>

export type AttachedKind = 'statement' | 'keyless' | 'signature'

export interface AttachedEnvelope extends OciManifest {
  readonly kind: AttachedKind
}

/** @param subject `sha256:…` of the manifest that it has to be attached to */
export function readAttachedManifest(
  { bytes, mediaType }: StoredManifest,
  subject: string,
): Reading<AttachedEnvelope> {
  let problem = ''
  for (const [kind, { read, most }] of Object.entries(ATTACHED_KINDS)) {
    const found = read(bytes, mediaType)
    if ('problem' in found) {
      problem = found.problem
      continue
    }
    const { value } = found
    if (value.subject?.digest !== subject) return { problem: 'it is attached to another manifest' }
    if (value.layer.size > most)
      return { problem: `its envelope has ${value.layer.size} bytes; one has at most ${byteLimit(most)}` }
    return { value: { ...value, kind: kind as AttachedKind } }
  }
  return { problem }
}
