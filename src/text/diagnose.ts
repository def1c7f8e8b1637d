// A text and the digest of another → the probable change. A diagnosis is a guess for people: no signature covers it, and it decides
// nothing.
import { blake3Hex } from '../bundle/blake3.ts'
import { textVariant } from './variant.ts'

/** @param digest BLAKE3 of the stated bytes, lower-case hex */
export function diagnoseText(bytes: Uint8Array, digest: string): string | undefined {
  const variant = textVariant(bytes, guess => blake3Hex(guess) === digest)
  return variant && `the stated text ${variant}`
}
