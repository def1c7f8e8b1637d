// Checks one signature of an envelope. Whether its key counts is another question.
import type { EnvelopeSignature } from './envelope.ts'
import { isSignature, readAnchor } from './kinds/index.ts'

/** Whether the key that a signature names has signed a message. */
export function isGenuine({ keyid, sig }: EnvelopeSignature, message: Uint8Array): boolean {
  const anchor = readAnchor(keyid)
  return 'key' in anchor && isSignature(anchor.key, message, sig)
}
