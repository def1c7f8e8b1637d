// The passphrase of a private key whose public key a trust policy is to name: a terminal asks for it, a program hands in a function.
import { anchorsBy } from '../sign/ask-key.ts'
import type { AnchorOf } from '../sign/keys.ts'
import { anchorsFrom, type KeyGiven } from '../sign/sign-bundle.ts'
import type { Input } from '../verb/input.ts'
import { givenFunction } from '../verb/kinds/words.ts'

type Passphrase = NonNullable<KeyGiven['passphrase']>

/** Gives the passphrase of an encrypted key. Without it, `RLP_KEY_PASSPHRASE` in `env` must have it. */
export const anchorPassphrase: Input<Passphrase, AnchorOf> = {
  type: '(key: string) => string | Promise<string>',
  absent: world =>
    world.terminal === undefined
      ? anchorsFrom({ passphrase: undefined }, world)
      : anchorsBy(world.terminal.io),
  fromGiven: (passphrase, at) => anchorsFrom({ passphrase: givenFunction(passphrase, at) }, at.world),
}
