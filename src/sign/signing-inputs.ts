// The inputs of every verb that uses keys: which key signs, and who gives its passphrase.
import { classMember } from '../model/own.ts'
import type { Signer } from '../model/signer.ts'
import { type Asked, type Input, type InputTable, needed } from '../verb/input.ts'
import { asItIs, checked, isText } from '../verb/kinds/words.ts'
import { anchorCalled, anchorsOf, loadSigner } from './keys.ts'
import { type KeyGiven, keyQueryFrom } from './sign-bundle.ts'
import type { KeyQuery } from './signers/kind.ts'
import { KEY_OPTION } from './signing-options.ts'

/** Where the key is that is named, and who gives its passphrase: one of the caller's functions, or a person. */
export const passphrase: Input<NonNullable<KeyGiven['passphrase']>, Omit<KeyQuery, 'which'>> = {
  type: '(key: string) => string | Promise<string>',
  absent: async world =>
    world.terminal === undefined
      ? keyQueryFrom('', undefined, world)
      : (await import('./ask-key.ts')).keyQuery('', world.terminal.io),
  fromGiven: (given, at) => keyQueryFrom('', givenPassphrase(given, at), at.world),
}

const givenPassphrase = checked(
  (given): given is NonNullable<KeyGiven['passphrase']> => typeof given === 'function',
  'a function',
)

/** @interface KeyGiven */
export const SIGNING_KEY = {
  key: needed<KeyGiven['key'], KeyGiven['key']>({
    type: 'string | Signer',
    typed: KEY_OPTION,
    fromTyped: asItIs<string>,
    fromGiven: checked(
      (given): given is KeyGiven['key'] => isText(given) || isSigner(given),
      'the name of a key, or a signer',
    ),
  }),
  passphrase,
} as const satisfies InputTable

function isSigner(given: unknown): given is Signer {
  return typeof given === 'object' && given !== null && typeof classMember(given, 'sign') === 'function'
}

export async function signerGiven({ key, passphrase }: Asked<typeof SIGNING_KEY>): Promise<Signer> {
  return isText(key) ? loadSigner({ ...passphrase, which: key }) : key
}

/** The anchor strings of public keys, or of the public halves of private ones. */
export function anchorsIn(keys: readonly string[], query: Omit<KeyQuery, 'which'>): Promise<string[]> {
  return anchorsOf(keys, which => anchorCalled({ ...query, which }))
}
