// The inputs of every verb that uses keys: which key signs, and who gives its passphrase.
import { UsageError } from '../model/error.ts'
import { classMember } from '../model/own.ts'
import type { Signer } from '../model/signer.ts'
import {
  type Asked,
  asItIs,
  checked,
  type Input,
  type InputTable,
  isText,
  needed,
  type World,
} from '../verb/index.ts'
import { anchorsOf, loadSigner } from './keys.ts'
import { anchorsAt, type KeyPlace, passphrase } from './passphrase-inputs.ts'
import type { KeyGiven } from './sign-bundle.ts'
import { keyPrefixes, keySpellings } from './signers/index.ts'

/** How every command that signs is told with which key. */
export const KEY_OPTION = {
  type: 'string',
  alias: 'k',
  placeholder: 'KEY',
  begins: keyPrefixes(),
  describe: keySpellings(),
} as const

/** The name of a key, or a signer. */
export type SigningKey = KeyGiven['key']

/** The key that signs. */
export const signingKey: Input<SigningKey, SigningKey | undefined> = {
  type: 'string | Signer',
  typed: KEY_OPTION,
  fromTyped: asItIs<string>,
  fromGiven: checked(
    (given): given is SigningKey => isText(given) || isSigner(given),
    'the name of a key, or a signer',
  ),
}

/** @interface KeyGiven */
export const SIGNING_KEY = {
  key: needed(signingKey),
  passphrase,
} as const satisfies InputTable

/** @param doing for messages: `attest` */
export function keyMissing(doing: string, { spelt }: Pick<World, 'spelt'>): UsageError {
  return new UsageError(`Cannot ${doing}: ${spelt('key')} is missing`, {
    field: 'key',
    hint: `Name a key, make one with rlp key generate NAME, or sign with an identity: ${spelt('keyless')}`,
  })
}

function isSigner(given: unknown): given is Signer {
  return typeof given === 'object' && given !== null && typeof classMember(given, 'sign') === 'function'
}

export async function signerGiven({ key, passphrase }: Asked<typeof SIGNING_KEY>): Promise<Signer> {
  return isText(key) ? loadSigner({ ...passphrase, which: key }) : key
}

/** The anchor strings of public keys, or of the public halves of private ones. */
export function anchorsIn(keys: readonly string[], place: KeyPlace): Promise<string[]> {
  return anchorsOf(keys, anchorsAt(place))
}
