// rlp key import: a key that is there already, kept under a name.
import { commandOf, defineVerb, needed, text } from '../../verb/index.ts'
import { NEW_KEY, newKeyName } from '../key-inputs.ts'
import { keepKey, type MadeKey } from '../new-key.ts'
import { passphraseOf } from '../passphrase-inputs.ts'
import { MADE_KEY } from '../render-key.ts'
import { keySpellings, signerKindOf } from '../signers/index.ts'

/**
 * Keeps a key that is there already under a name. What was imported stays where it is.
 *
 * @param key a PEM file, `env:VAR`, or the name of another key
 *
 * @example
 * await keyImport('ci', './ci.pem', { passphrase: false })
 *
 * @throws {@link RlpError} as {@link keyGenerate}; `WRONG_FILE_TYPE` for what is no Ed25519 key, `NOT_FOUND`, `NEEDS_ANSWER` when a passphrase is missing
 */
export const verb = defineVerb({
  name: 'key import',
  summary: 'keep a signing key that you have under a name',
  arguments: ['name', 'key'],
  inputs: {
    name: newKeyName,
    key: needed(text(keySpellings('that leave their place'))),
    ...NEW_KEY,
    /** Gives the passphrase of an encrypted key that is imported. Without it, `RLP_KEY_PASSPHRASE` in `env` must have it. */
    oldPassphrase: passphraseOf('oldPassphrase'),
  },
  async run({ name, key, home, passphrase, oldPassphrase }, { signal }): Promise<MadeKey> {
    const query = { ...oldPassphrase, which: key, home }
    const privateKey = await (await signerKindOf(key)).privateKey(query)
    return keepKey(name, await passphrase(name, 'import'), privateKey, { home, signal })
  },
})

export const command = commandOf(verb, {
  examples: [
    ['rlp key import ci ./ci.pem --no-passphrase', 'a key that openssl made'],
    ['RLP_KEY_PASSPHRASE=… rlp key import ci env:SIGNING_KEY', 'from a variable of a pipeline'],
  ],
  notes:
    'Takes Ed25519 keys in PKCS#8 PEM, also with \\n for line ends or in base64. An encrypted key is opened and encrypted anew, with the same RLP_KEY_PASSPHRASE if that is set. An existing key is never replaced, and the file that was imported stays where it is.',
  ...MADE_KEY,
})
