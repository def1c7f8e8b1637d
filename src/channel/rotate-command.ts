// rlp channel rotate: drafts the next root.
import { defineCommand } from '../cli/command.ts'
import { durationTyped } from '../cli/options.ts'
import { anchorsBy } from '../sign/ask-key.ts'
import { anchorsOf } from '../sign/keys.ts'
import { digestText } from '../text/digest-text.ts'
import { draftedAnswer } from './answers.ts'
import { draftRotation } from './drafting.ts'
import { FOLDER, folderUsed, keysOption, reportPublishing } from './publish-options.ts'
import { nextLines } from './render-channel.ts'
import { draftedReleaseLines, draftedRootLines } from './render-draft.ts'

export const command = defineCommand({
  name: 'channel rotate',
  summary: 'draft the next root: change who may speak, or let the root last longer',
  positionals: [FOLDER],
  options: {
    'add-key': keysOption('the public key of a person who may speak from now on'),
    'remove-key': keysOption('a public key that speaks no longer'),
    threshold: {
      type: 'integer',
      placeholder: 'N',
      min: 1,
      describe: 'how many have to sign; as before where it is left out',
    },
    'add-heartbeat-key': keysOption('a public key that makes heartbeats from now on'),
    'remove-heartbeat-key': keysOption('a public key that makes heartbeats no longer'),
    heartbeat: {
      type: 'string',
      placeholder: 'DURATION',
      describe: 'how long a heartbeat may last; as before where it is left out',
    },
    expires: {
      type: 'string',
      placeholder: 'DURATION',
      default: '365d',
      describe: 'when the root has to be rotated at the latest',
    },
    epoch: {
      type: 'boolean',
      describe: 'count releases from 1 again: after a thief has driven their numbers up',
    },
  },
  examples: [
    ['rlp channel rotate house', 'the same people, for another year'],
    ['rlp channel rotate house --remove-key alan.pub --add-key linus.pub', 'another person'],
    [
      'rlp channel rotate house --remove-heartbeat-key beat.pub --add-heartbeat-key beat2.pub',
      'a key that was stolen',
    ],
  ],
  notes:
    'The next root is signed by keys of the present root, as many as that one demands, and by keys of its own, as many as it demands itself. Hosts walk to it by themselves. Where the present release would not count any more, its files are drafted again as the next one.',
  async run(args, io) {
    const use = folderUsed(args.folder, 'rotate the root', args, io)
    const heartbeatSeconds =
      args.heartbeat === undefined ? undefined : durationTyped('heartbeat', args.heartbeat)
    const expiresSeconds = durationTyped('expires', args.expires)
    const now = new Date()
    const change = {
      expiresSeconds,
      threshold: args.threshold,
      heartbeatSeconds,
      newEpoch: args.epoch,
      addKeys: await anchorsOf(args.addKey, anchorsBy(io)),
      removeKeys: await anchorsOf(args.removeKey, anchorsBy(io)),
      addHeartbeats: await anchorsOf(args.addHeartbeatKey, anchorsBy(io)),
      removeHeartbeats: await anchorsOf(args.removeHeartbeatKey, anchorsBy(io)),
    }
    const drafted = await draftRotation(args.folder, change, { ...use, now })
    const { contents } = drafted
    const { root, release } = contents.draft
    const also = release === undefined ? '' : `, and release ${release.statement.version} under it`
    return reportPublishing(
      {
        verb: 'rotate',
        done: `${args.folder}: drafted root ${root?.statement.version}${also}, ${root && digestText(root.digest)}`,
        lines: [
          ...draftedRootLines(contents, now),
          ...draftedReleaseLines(contents, now),
          ...nextLines(contents, now),
        ],
        answer: draftedAnswer(drafted, now),
      },
      args,
      io,
    )
  },
})
