// rlp key show: the public half of a key, in every form that people need.
import { defineCommand } from '../cli/command.ts'
import { report } from '../cli/render/report.ts'
import { EXIT } from '../model/exit-code.ts'
import { keyQuery } from './ask-key.ts'
import { loadPublicKey } from './keys.ts'
import { shownKey } from './new-key.ts'
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
  notes: 'The fingerprint is for reading aloud, and is the one that ssh-keygen -l prints.',
  async run(args, io) {
    const result = shownKey(await loadPublicKey(keyQuery(args.key, io)))
    report(io, args, {
      tool: 'key.show',
      result,
      text: () => `anchor       ${result.anchor}\nfingerprint  ${result.sshFingerprint}\n${result.pem}`,
    })
    return EXIT.ok
  },
})
