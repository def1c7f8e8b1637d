// rlp key generate: a new signing key.
import { commandOf, defineVerb } from '../../verb/index.ts'
import { NEW_KEY, newKeyName } from '../key-inputs.ts'
import { generateKey, type MadeKey } from '../new-key.ts'
import { MADE_KEY } from '../render-key.ts'

/**
 * A new Ed25519 key under a name, in the folder `keys` of `home`. An existing key is never replaced.
 *
 * @example
 * const { anchor } = await keyGenerate('release', { passphrase: process.env['PASSPHRASE'] ?? false })
 * console.log(anchor)
 *
 * @throws {@link RlpError} `USAGE` for an unusable name or passphrase, `EXISTS`, `NO_PERMISSION`, `NO_SPACE`, `CANCELLED`
 */
export const verb = defineVerb({
  name: 'key generate',
  summary: 'make a signing key',
  arguments: ['name'],
  inputs: { name: newKeyName, ...NEW_KEY },
  async run({ name, home, passphrase }, { signal }): Promise<MadeKey> {
    return generateKey(name, await passphrase(name, 'generate'), { home, signal })
  },
})

export const command = commandOf(verb, {
  examples: [
    ['rlp key generate release', 'asks for a passphrase'],
    ['RLP_KEY_PASSPHRASE=… rlp key generate release', 'without a terminal'],
  ],
  notes:
    'Keys are Ed25519 in PKCS#8 PEM, in ~/.runloop/keys ($RUNLOOP_HOME/keys), mode 0600, and openssl reads them. An existing key is never replaced.',
  ...MADE_KEY,
})
