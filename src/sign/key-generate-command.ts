// rlp key generate: a new signing key.

import { defineCommand } from '../cli/command.ts'
import { note, report } from '../cli/render/report.ts'
import { createStyle, SYMBOLS } from '../cli/render/style.ts'
import { anchorString } from '../format/signature/kinds/index.ts'
import { homeLabel } from '../io/home.ts'
import { EXIT } from '../model/exit-code.ts'
import { newPassphrase } from './ask-passphrase.ts'
import { anchorKeyOf } from './keys.ts'
import { generateKey } from './new-key.ts'

export const command = defineCommand({
  name: 'key generate',
  summary: 'make a signing key',
  positionals: [{ name: 'name', required: true, describe: 'what to call it', complete: 'none' }],
  options: {
    passphrase: {
      type: 'boolean',
      negatable: true,
      default: true,
      describe: 'encrypt it; with --no-passphrase everybody who gets the file can use it',
    },
  },
  examples: [
    ['rlp key generate release', 'asks for a passphrase'],
    ['RLP_KEY_PASSPHRASE=… rlp key generate release', 'without a terminal'],
  ],
  notes:
    'Keys are Ed25519 in PKCS#8 PEM, in ~/.runloop/keys ($RUNLOOP_HOME/keys), mode 0600, and openssl reads them. An existing key is never replaced.',
  async run(args, io) {
    const passphrase = args.passphrase ? await newPassphrase(io, args.name, 'generate') : undefined
    const { path, publicPath, publicKey } = await generateKey(args.name, passphrase)
    const anchor = anchorString(anchorKeyOf(publicKey))
    report(io, args, {
      tool: 'key.generate',
      result: { name: args.name, anchor, path, publicPath, encrypted: args.passphrase },
      text: () => `${createStyle(io.color).green(SYMBOLS.ok)} ${homeLabel(path)}\n${anchor}\n`,
    })
    if (!args.passphrase)
      note(io, args, 'The key is not encrypted: everybody who reads the file can sign as you')
    return EXIT.ok
  },
})
