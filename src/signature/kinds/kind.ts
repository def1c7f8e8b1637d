// Everything that is particular to one kind of key and its signatures.
import type { AnchorKey, AnchorKind } from '../../model/signer.ts'

export interface SignatureKind<K extends AnchorKind = AnchorKind> {
  /** What an anchor string and a key id begin with, before the colon. */
  readonly kind: K
  /** The text after the colon, in any spelling that people use → the key, or what is wrong with it. */
  read(body: string): { readonly key: Extract<AnchorKey, { kind: K }> } | { readonly problem: string }
  /** The one spelling that is compared. */
  write(key: Extract<AnchorKey, { kind: K }>): string
  /** That spelling, as far as a pattern can tell. */
  readonly spelling: RegExp
  /** What is wrong with a key that came as bytes. */
  problem(key: Extract<AnchorKey, { kind: K }>): string | undefined
  /** @param key one without a problem */
  isSignature(key: Extract<AnchorKey, { kind: K }>, message: Uint8Array, signature: Uint8Array): boolean
}
