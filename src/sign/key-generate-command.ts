// rlp key generate: a new signing key.
import { defineCommand } from '../cli/command.ts'
import { newPassphrase } from './ask-key.ts'
import { generateKey } from './new-key.ts'
import { NEW_KEY_NAME, NEW_KEY_OPTIONS, reportNewKey } from './new-key-options.ts'

export const command = defineCommand({
  name: 'key generate',
  summary: 'make a signing key',
  positionals: [NEW_KEY_NAME],
  options: NEW_KEY_OPTIONS,
  examples: [
    ['rlp key generate release', 'asks for a passphrase'],
    ['RLP_KEY_PASSPHRASE=… rlp key generate release', 'without a terminal'],
  ],
  notes:
    'Keys are Ed25519 in PKCS#8 PEM, in ~/.runloop/keys ($RUNLOOP_HOME/keys), mode 0600, and openssl reads them. An existing key is never replaced.',
  async run(args, io) {
    const passphrase = args.passphrase ? await newPassphrase(io, args.name, 'generate') : undefined
    return reportNewKey(await generateKey(args.name, passphrase), 'key.generate', args, io)
  },
})
