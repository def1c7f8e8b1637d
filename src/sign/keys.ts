// A key as the user names it → the key: by name, by file, from the environment, or as an anchor string.
import type { KeyObject } from 'node:crypto'
import { RlpError } from '../model/error.ts'
import type { AnchorKey, Signer } from '../model/signer.ts'
import { publicKey, rawPublicKey } from '../signature/ed25519.ts'
import { anchorString, isMeantAsAnchor, keyProblem, readAnchor } from '../signature/kinds/index.ts'
import { signerKindOf } from './signers/index.ts'
import type { KeyQuery } from './signers/kind.ts'

/** @throws RlpError as the place of the key does */
export async function loadSigner(query: KeyQuery): Promise<Signer> {
  return (await signerKindOf(query.which)).open(query)
}

/** A public key, possibly the public half of a private one. */
export async function loadPublicKey(query: KeyQuery): Promise<KeyObject> {
  const { which } = query
  if (isMeantAsAnchor(which)) {
    const anchor = readAnchor(which)
    if ('key' in anchor) return publicKey(anchor.key.bytes)
    throw new RlpError('USAGE', `Cannot use the key "${which}": it ${anchor.problem}`)
  }
  const key = await (await signerKindOf(which)).publicKey(query)
  const problem = keyProblem(anchorKeyOf(key))
  if (problem === undefined) return key
  throw new RlpError('WRONG_FILE_TYPE', `Cannot use the key "${which}": the key ${problem}`)
}

/** Gives the passphrase of a key that is there. */
export type PassphraseOf = (key: string) => string | Promise<string>

/** Asks a caller of the library. @param option that gives the passphrase, for hints */
export function askCaller(passphrase: PassphraseOf | undefined, option: string): KeyQuery['ask'] {
  return async what => {
    if (passphrase !== undefined) return passphrase(what)
    throw new RlpError('NEEDS_ANSWER', `Cannot use the key "${what}": its passphrase is missing`, {
      hint: `Give it in ${option}, or set RLP_KEY_PASSPHRASE`,
    })
  }
}

/** How a job finds the anchor string of a public key that a person names. */
export type AnchorOf = (which: string) => Promise<string>

/** @throws RlpError as {@link loadPublicKey} */
export async function anchorCalled(query: KeyQuery): Promise<string> {
  return anchorString(anchorKeyOf(await loadPublicKey(query)))
}

/** One after the other: each may ask a person. */
export async function anchorsOf(which: readonly string[], anchorOf: AnchorOf): Promise<string[]> {
  const anchors: string[] = []
  for (const one of which) anchors.push(await anchorOf(one))
  return anchors
}

/** A loaded public key as anchors name it. */
export function anchorKeyOf(key: KeyObject): AnchorKey {
  return { kind: 'ed25519', bytes: rawPublicKey(key) ?? new Uint8Array() }
}
