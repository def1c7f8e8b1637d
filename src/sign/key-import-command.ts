// rlp key import: a key that is there already, kept under a name.
import { defineCommand } from '../cli/command.ts'
import { note, report } from '../cli/render/report.ts'
import { createStyle, SYMBOLS } from '../cli/render/style.ts'
import { anchorString } from '../format/signature/kinds/index.ts'
import { homeLabel } from '../io/home.ts'
import { EXIT } from '../model/exit-code.ts'
import { keyQuery, newPassphrase } from './ask-passphrase.ts'
import { anchorKeyOf } from './keys.ts'
import { keepKey } from './new-key.ts'
import { keySpellings, signerKindOf } from './signers/index.ts'

export const command = defineCommand({
  name: 'key import',
  summary: 'keep a signing key that you have under a name',
  positionals: [
    { name: 'name', required: true, describe: 'what to call it', complete: 'none' },
    { name: 'key', required: true, describe: keySpellings('that leave their place') },
  ],
  options: {
    passphrase: {
      type: 'boolean',
      negatable: true,
      default: true,
      describe: 'encrypt it; with --no-passphrase everybody who gets the file can use it',
    },
  },
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
    const { path, publicPath, publicKey } = await keepKey(args.name, passphrase, key)
    const anchor = anchorString(anchorKeyOf(publicKey))
    report(io, args, {
      tool: 'key.import',
      result: { name: args.name, anchor, path, publicPath, encrypted: args.passphrase },
      text: () => `${createStyle(io.color).green(SYMBOLS.ok)} ${homeLabel(path)}\n${anchor}\n`,
    })
    if (!args.passphrase)
      note(io, args, 'The key is not encrypted: everybody who reads the file can sign as you')
    return EXIT.ok
  },
})
