// Where the key is that is named, and who gives its passphrase: one of the caller's functions, or a person.
import { givenFunction, type Input, type World } from '../verb/index.ts'
import { type AnchorOf, anchorCalled, askCaller, type PassphraseOf } from './keys.ts'
import type { KeyQuery } from './signers/kind.ts'

/** Everything that is known of a key but its name. */
export interface KeyPlace extends Omit<KeyQuery, 'which'> {
  /** A caller of the library has given a function for the passphrase. */
  readonly isGiven?: true
}

/** @param option the name of the input, for hints */
export function passphraseOf(option: string): Input<PassphraseOf, KeyPlace> {
  const known = ({ cwd, env, signal }: World) => ({ cwd, env, signal })
  return {
    type: '(key: string) => string | Promise<string>',
    absent(world) {
      const io = world.terminal?.io
      if (io === undefined) return { ...known(world), ask: askCaller(undefined, option) }
      const ask = async (which: string) => (await import('./ask-key.ts')).askPassphrase(io)(which)
      return { ...known(world), stdin: io.stdin, ask }
    },
    fromGiven: (given, at) => ({
      ...known(at.world),
      ask: askCaller(givenFunction(given, at), option),
      isGiven: true,
    }),
  }
}

/** Gives the passphrase of an encrypted key. Without it, `RLP_KEY_PASSPHRASE` in `env` must have it. */
export const passphrase = passphraseOf('passphrase')

/** The anchor string of a public key, or of the public half of a private one. */
export function anchorsAt(place: KeyPlace): AnchorOf {
  return which => anchorCalled({ ...place, which })
}
