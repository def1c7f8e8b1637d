// rlp key import: a key that is there already, kept under a name.
import { defineCommand } from '../cli/command.ts'
import { keyQuery, newPassphrase } from './ask-key.ts'
import { keepKey } from './new-key.ts'
import { NEW_KEY_NAME, NEW_KEY_OPTIONS, reportNewKey } from './new-key-options.ts'
import { keySpellings, signerKindOf } from './signers/index.ts'

export const command = defineCommand({
  name: 'key import',
  summary: 'keep a signing key that you have under a name',
  positionals: [
    NEW_KEY_NAME,
    { name: 'key', required: true, describe: keySpellings('that leave their place') },
  ],
  options: NEW_KEY_OPTIONS,
  examples: [
    ['rlp key import ci ./ci.pem --no-passphrase', 'a key that openssl made'],
    ['RLP_KEY_PASSPHRASE=… rlp key import ci env:SIGNING_KEY', 'from a variable of a pipeline'],
  ],
  notes:
    'Takes Ed25519 keys in PKCS#8 PEM, also with \\n for line ends or in base64. An encrypted key is opened and encrypted anew, with the same RLP_KEY_PASSPHRASE if that is set. An existing key is never replaced, and the file that was imported stays where it is.',
  async run(args, io) {
    const query = keyQuery(args.key, io)
    const key = await (await signerKindOf(args.key)).privateKey(query)
    const passphrase = args.passphrase ? await newPassphrase(io, args.name, 'import') : undefined
    return reportNewKey(await keepKey(args.name, passphrase, key), 'key.import', args, io)
  },
})
