// rlp channel heartbeat: says that what is complete is still the newest.
import { defineCommand } from '../cli/command.ts'
import { durationTyped } from '../cli/options.ts'
import { note } from '../cli/render/report.ts'
import { KEY_OPTION, signerCalled } from '../sign/signing-options.ts'
import { heartbeatAnswer } from './answers.ts'
import { makeHeartbeat } from './heartbeat.ts'
import { AFTER_END_OPTION, FOLDER, folderUsed, reportPublishing } from './publish-options.ts'
import { builtOnLines, nextLines } from './render-channel.ts'

export const command = defineCommand({
  name: 'channel heartbeat',
  summary: 'say that the newest release is still the newest',
  positionals: [FOLDER],
  options: {
    key: { ...KEY_OPTION, required: true },
    'after-end': AFTER_END_OPTION,
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
    'Asks nothing: it is for a timer, several times for each duration. Says which release and heartbeat it builds on, and refuses if this user has seen a newer one. Once the last heartbeat has expired, a person has to make the next one, with --after-end. A timer never passes that option: it cannot know which release is the newest. Hosts that see no newer heartbeat trust nothing after its end. It names what is complete in the folder: run rlp channel pull before, and rlp channel push after it.',
  async run(args, io) {
    const use = folderUsed(args.folder, 'make a heartbeat', args, io)
    const expiresSeconds = args.expires === undefined ? undefined : durationTyped('expires', args.expires)
    const signer = await signerCalled(args.key, io)
    const now = new Date()
    const how = { ...use, expiresSeconds, now, afterEnd: args.afterEnd }
    const made = await makeHeartbeat(args.folder, signer, how, base => {
      for (const line of builtOnLines(base, now)) note(io, args, line)
    })
    const { root, release, expires } = made.heartbeat.statement
    return reportPublishing(
      {
        verb: 'heartbeat',
        done: `${args.folder}: heartbeat of root ${root.version} and release ${release.version}, until ${expires}`,
        lines: nextLines(made.contents, now),
        answer: heartbeatAnswer(made, now),
      },
      args,
      io,
    )
  },
})
