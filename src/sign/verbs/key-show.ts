// rlp key show: the public half of a key, in every form that people need.
import { commandOf, defineVerb, needed, text } from '../../verb/index.ts'
import { KEYS } from '../key-inputs.ts'
import { loadPublicKey } from '../keys.ts'
import { type ShownKey, shownKey } from '../new-key.ts'
import { passphraseOf } from '../passphrase-inputs.ts'
import { keyPrefixes, keySpellings } from '../signers/index.ts'

/**
 * The public half of a key, in every form that people need.
 *
 * @param key as for {@link sign}, or an anchor string
 *
 * @example
 * const { anchor, sshFingerprint } = await keyShow('release')
 * console.log(anchor, sshFingerprint)
 *
 * @throws {@link RlpError} `NOT_FOUND`, `WRONG_FILE_TYPE`, `NEEDS_ANSWER`, `NO_PERMISSION`, `CANCELLED`
 */
export const verb = defineVerb({
  name: 'key show',
  summary: 'the public half of a key, for trust policies and for openssl',
  arguments: ['key'],
  inputs: {
    key: needed(text(keySpellings(), { begins: keyPrefixes() })),
    ...KEYS,
    /** As {@link KeyImportOptions.oldPassphrase}: asked only for a private key without its public half beside it. */
    passphrase: passphraseOf('passphrase'),
  },
  async run({ key, home, passphrase }): Promise<ShownKey> {
    return shownKey(await loadPublicKey({ ...passphrase, which: key, home }))
  },
})

export const command = commandOf(verb, {
  examples: [
    ['rlp key show release', 'anchor string, fingerprint and PEM'],
    ['rlp key show ./ci.pem', 'of a file'],
  ],
  notes: 'The fingerprint is for reading aloud, and is the one that ssh-keygen -l prints.',
  text: ({ anchor, sshFingerprint, pem }) => `anchor       ${anchor}\nfingerprint  ${sshFingerprint}\n${pem}`,
})
