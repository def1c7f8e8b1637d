// rlp channel heartbeat: says that what is complete is still the newest.
import { defineCommand } from '../cli/command.ts'
import { durationTyped } from '../cli/duration-typed.ts'
import { KEY_OPTION, signerCalled } from '../sign/signing-options.ts'
import { makeHeartbeat } from './heartbeat.ts'
import { FOLDER, folderUsed, reportPublishing } from './publish-options.ts'
import { nextLines } from './render-channel.ts'

export const command = defineCommand({
  name: 'channel heartbeat',
  summary: 'say that the newest release is still the newest',
  positionals: [FOLDER],
  options: {
    key: { ...KEY_OPTION, required: true },
    expires: {
      type: 'string',
      placeholder: 'DURATION',
      describe: 'how long it lasts; as long as the root allows where it is left out',
    },
  },
  examples: [
    ['rlp channel heartbeat house --key beat', 'as long as the root allows'],
    ['rlp channel heartbeat house --key beat --expires 12h', 'for less'],
  ],
  notes:
    'Asks nothing: it is for a timer, several times for each duration. Hosts that see no newer heartbeat trust nothing after its end. It names what is complete in the folder: run rlp channel pull before, and rlp channel push after it.',
  async run(args, io) {
    const use = folderUsed(args.folder, 'make a heartbeat', args, io)
    const expiresSeconds = args.expires === undefined ? undefined : durationTyped('expires', args.expires)
    const signer = await signerCalled(args.key, io)
    const now = new Date()
    const { contents, heartbeat } = await makeHeartbeat(args.folder, signer, { ...use, expiresSeconds, now })
    const { root, release, expires } = heartbeat.statement
    return reportPublishing(
      {
        ...{ verb: 'heartbeat', contents, now },
        done: `${args.folder}: heartbeat of root ${root.version} and release ${release.version}, until ${expires}`,
        lines: nextLines(contents, now),
      },
      args,
      io,
    )
  },
})
