// When the signatures in a bundle end, by its manifest and its envelope alone. Every signature has to hold and the manifest has to be the one
// that is expected, so a carrier cannot make up an end. Whether a signer counts is not asked.
import { blake3Hex } from '../bundle/blake3.ts'
import { preAuthEncoding, readEnvelope, readStatement, type SignatureEnvelope } from './envelope.ts'
import { anchorString, isSignature, readAnchor } from './kinds/index.ts'

/** The end of signatures. */
export interface StatedEnd {
  /** A UTC second; undefined if they do not end. */
  readonly notAfter: string | undefined
}

/** @param envelope the bytes of SIGNATURES/manifest.sig. @returns undefined if there is none, or it is malformed */
export function endIn(envelope: Uint8Array | undefined): StatedEnd | undefined {
  const read = envelope && readEnvelope(envelope)
  const stated = read?.ok ? readStatement(read.value.payload) : undefined
  return stated?.ok ? { notAfter: stated.value.notAfter } : undefined
}

/**
 * The same, if the envelope signs this manifest.
 * @param identity BLAKE3 of the manifest that is expected, lower-case hex
 */
export function endSignedIn(
  manifest: Uint8Array,
  envelope: Uint8Array,
  identity: string,
): StatedEnd | undefined {
  const read = readEnvelope(envelope)
  if (!read.ok || blake3Hex(manifest) !== identity || !areGenuine(read.value)) return undefined
  const stated = readStatement(read.value.payload)
  return stated.ok && stated.value.blake3 === identity ? { notAfter: stated.value.notAfter } : undefined
}

function areGenuine({ payload, signatures }: SignatureEnvelope): boolean {
  const message = preAuthEncoding(payload)
  return signatures.every(({ keyid, sig }) => {
    const anchor = readAnchor(keyid)
    return (
      !('problem' in anchor) && anchorString(anchor.key) === keyid && isSignature(anchor.key, message, sig)
    )
  })
}
