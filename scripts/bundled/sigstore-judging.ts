// The libraries of Sigstore that judge (src/sigstore/prove.ts), as one file of the program: they share modules, and as files of their own they
// would lose what they export.
export { bundleFromJSON, envelopeToJSON } from '@sigstore/bundle'
export { PublicKeyDetails, TrustedRoot } from '@sigstore/protobuf-specs'
export { toSignedEntity, toTrustMaterial, VerificationError, Verifier } from '@sigstore/verify'
