// An envelope of ours → a Sigstore bundle for each of its signatures, as cosign and the libraries of Sigstore read one: they take exactly one
// signature, and a public key that their caller names.
import { PAYLOAD_TYPE, type SignatureEnvelope } from './envelope.ts'

export const SIGSTORE_BUNDLE_TYPE = 'application/vnd.dev.sigstore.bundle.v0.3+json'

export interface SignatureBundle {
  /** Anchor string of the key. */
  readonly signer: string
  /** JSON, with a line end. */
  readonly text: string
}

/** The key itself is not in it: a reader brings the one that he trusts. */
export function signatureBundles({ payload, signatures }: SignatureEnvelope): SignatureBundle[] {
  return signatures.map(({ keyid, sig }) => ({
    signer: keyid,
    text: `${JSON.stringify({
      mediaType: SIGSTORE_BUNDLE_TYPE,
      verificationMaterial: { publicKey: { hint: keyid }, tlogEntries: [] },
      dsseEnvelope: {
        payload: Buffer.from(payload).toString('base64'),
        payloadType: PAYLOAD_TYPE,
        signatures: [{ sig: Buffer.from(sig).toString('base64'), keyid: '' }],
      },
    })}\n`,
  }))
}
