// A document that is attached to a bundle → its manifest: one byte sequence for one content.
import type { Descriptor } from '../model/oci.ts'
import { SIGSTORE_BUNDLE_TYPE } from '../signature/sigstore-bundle.ts'
import { sha256Of } from './digest.ts'
import { writeDescriptor } from './document.ts'
import { CONFIG } from './manifest.ts'
import { ATTESTATION_TYPE, ENVELOPE_TYPE, MANIFEST_TYPE, SIGNATURE_TYPE } from './media-types.ts'

/** Something that is attached to a bundle: one document of one type. */
export interface AttachedDocument {
  readonly artifactType: string
  readonly mediaType: string
  readonly content: Uint8Array
}

export function signatureDocument(envelope: Uint8Array): AttachedDocument {
  return { artifactType: SIGNATURE_TYPE, mediaType: ENVELOPE_TYPE, content: envelope }
}

export function attestationDocument(envelope: Uint8Array): AttachedDocument {
  return { artifactType: ATTESTATION_TYPE, mediaType: ENVELOPE_TYPE, content: envelope }
}

export function sigstoreDocument(bundle: Uint8Array): AttachedDocument {
  return { artifactType: SIGSTORE_BUNDLE_TYPE, mediaType: SIGSTORE_BUNDLE_TYPE, content: bundle }
}

/** @param subject the manifest of the bundle that the document is about */
export function writeAttachedManifest(
  { artifactType, mediaType: layerType, content }: AttachedDocument,
  { mediaType, digest, size }: Descriptor,
): Uint8Array {
  return Buffer.from(
    JSON.stringify({
      schemaVersion: 2,
      mediaType: MANIFEST_TYPE,
      artifactType,
      config: CONFIG,
      layers: [{ mediaType: layerType, digest: sha256Of(content), size: content.length }],
      subject: writeDescriptor({ mediaType, digest, size }),
    }),
  )
}
