// rlp key show: the public half of a key, in every form that people need.
import { hash } from 'node:crypto'
import { defineCommand } from '../cli/command.ts'
import { report } from '../cli/render/report.ts'
import { anchorString } from '../format/signature/kinds/index.ts'
import { publicPem } from '../format/signature/pkcs8.ts'
import { EXIT } from '../model/exit-code.ts'
import { keyQuery } from './ask-passphrase.ts'
import { anchorKeyOf, loadPublicKey } from './keys.ts'
import { keyPrefixes, keySpellings } from './signers/index.ts'

export const command = defineCommand({
  name: 'key show',
  summary: 'the public half of a key, for trust policies and for openssl',
  positionals: [{ name: 'key', required: true, begins: keyPrefixes(), describe: keySpellings() }],
  options: {},
  examples: [
    ['rlp key show release', 'anchor string, fingerprint and PEM'],
    ['rlp key show ./ci.pem', 'of a file'],
  ],
  notes: 'The fingerprint is for reading aloud: SHA-256 over the 32 bytes of the public key.',
  async run(args, io) {
    const key = await loadPublicKey(keyQuery(args.key, io))
    const named = anchorKeyOf(key)
    const anchor = anchorString(named)
    const fingerprint = hash('sha256', named.bytes, 'hex')
    const pem = publicPem(key)
    report(io, args, {
      tool: 'key.show',
      result: { anchor, fingerprint: `sha256:${fingerprint}`, pem },
      text: () =>
        `anchor       ${anchor}\nfingerprint  sha256 ${fingerprint.match(/.{4}/g)?.join(' ')}\n${pem}`,
    })
    return EXIT.ok
  },
})
