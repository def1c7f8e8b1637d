// The registry of the kinds of keys that sign: one file and one line each.
import type { AnchorKey, AnchorKind } from '../../model/signer.ts'
import { ed25519 } from './ed25519.ts'
import type { SignatureKind } from './kind.ts'

const BY_KIND: { readonly [K in AnchorKind]: SignatureKind<K> } = { ed25519 }

const KINDS: readonly SignatureKind[] = Object.values(BY_KIND)

/** `ed25519:` and the base64 of the key: how anchors and key ids are written, and compared. */
export function anchorString(key: AnchorKey): string {
  return `${key.kind}:${BY_KIND[key.kind].write(key)}`
}

/** An anchor string as people write it → the key, or what is wrong with it. */
export function readAnchor(text: string): { readonly key: AnchorKey } | { readonly problem: string } {
  const found = kindIn(text)
  if (found === undefined)
    return { problem: `does not begin with ${KINDS.map(({ kind }) => `${kind}:`).join(' or ')}` }
  return found.read(text.slice(found.kind.length + 1))
}

/** Whether a text is meant as an anchor string, right or wrong. */
export function isMeantAsAnchor(text: string): boolean {
  return kindIn(text) !== undefined
}

/** Whether a text is an anchor string in the spelling of {@link anchorString}. */
export function isSpelledAsAnchor(text: string): boolean {
  const found = kindIn(text)
  return found?.spelling.test(text.slice(found.kind.length + 1)) === true
}

/** What is wrong with a key, or undefined. */
export function keyProblem(key: AnchorKey): string | undefined {
  return BY_KIND[key.kind].problem(key)
}

/** Whether a signature is one of a key without {@link keyProblem} over a message. */
export function isSignature(key: AnchorKey, message: Uint8Array, signature: Uint8Array): boolean {
  return BY_KIND[key.kind].isSignature(key, message, signature)
}

function kindIn(text: string): SignatureKind | undefined {
  return KINDS.find(({ kind }) => text.startsWith(`${kind}:`))
}
