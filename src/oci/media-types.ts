// The media types of what we store.

export const MANIFEST_TYPE = 'application/vnd.oci.image.manifest.v1+json'
export const INDEX_TYPE = 'application/vnd.oci.image.index.v1+json'
export const EMPTY_TYPE = 'application/vnd.oci.empty.v1+json'

/** Of a manifest that holds a bundle. */
export const BUNDLE_TYPE = 'application/vnd.runloop.agent.bundle.v1'
/** Of its layer: the bundle as it is, never compressed. A type of our own, because carriers compress the layers that they know. */
export const BUNDLE_LAYER_TYPE = 'application/vnd.runloop.agent.bundle.v1.tar'
/** Of a manifest that holds a signature which was added later. */
export const SIGNATURE_TYPE = 'application/vnd.runloop.agent.signature.v1'
/** Of a manifest that holds a statement about a bundle, as other programs call it too. */
export const ATTESTATION_TYPE = 'application/vnd.in-toto+json'
export const ENVELOPE_TYPE = 'application/vnd.dsse.envelope.v1+json'
