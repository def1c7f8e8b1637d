// rlp channel init: begins a trust channel in a folder.
import { defineCommand } from '../cli/command.ts'
import { durationTyped } from '../cli/options.ts'
import { anchorsBy } from '../sign/ask-key.ts'
import { anchorsOf } from '../sign/keys.ts'
import { digestText } from '../text/digest-text.ts'
import { draftedAnswer } from './answers.ts'
import { initChannel } from './drafting.ts'
import { FOLDER, folderUsed, keysOption, reportPublishing } from './publish-options.ts'
import { nextLines } from './render-channel.ts'

export const command = defineCommand({
  name: 'channel init',
  summary: 'begin a trust channel: say who may speak for it',
  positionals: [FOLDER],
  options: {
    name: { type: 'string', placeholder: 'NAME', required: true, describe: 'what to call it, for display' },
    key: { ...keysOption('the public key of a person who may speak for it; once for each'), required: true },
    threshold: {
      type: 'integer',
      placeholder: 'N',
      required: true,
      min: 1,
      describe: 'how many of them have to sign a root or a release',
    },
    'heartbeat-key': {
      ...keysOption('a public key that says, every few hours, that nothing newer is there'),
      required: true,
    },
    heartbeat: {
      type: 'string',
      placeholder: 'DURATION',
      default: '24h',
      describe: 'how long a heartbeat may last; after it, hosts trust nothing',
    },
    expires: {
      type: 'string',
      placeholder: 'DURATION',
      default: '365d',
      describe: 'when the root has to be rotated at the latest',
    },
  },
  examples: [
    [
      'rlp channel init house --name house --key ada.pub --key alan.pub --key grace.pub --threshold 2 --heartbeat-key beat.pub',
      'two of three people',
    ],
  ],
  notes:
    'Makes a draft of root 1. As many of its keys as --threshold says have to sign it with rlp channel sign. Take the public keys from the people themselves. The key of heartbeats is another key, on a machine with a timer.\n\ndocs/channels.md goes through it step by step.',
  async run(args, io) {
    const use = folderUsed(args.folder, 'begin a channel', args, io)
    const heartbeatSeconds = durationTyped('heartbeat', args.heartbeat)
    const expiresSeconds = durationTyped('expires', args.expires)
    const now = new Date()
    const about = {
      name: args.name,
      threshold: args.threshold,
      heartbeatSeconds,
      expiresSeconds,
      keys: await anchorsOf(args.key, anchorsBy(io)),
      heartbeats: await anchorsOf(args.heartbeatKey, anchorsBy(io)),
    }
    const drafted = await initChannel(args.folder, about, use, now)
    const { contents } = drafted
    const { root } = contents.draft
    return reportPublishing(
      {
        verb: 'init',
        done: `${args.folder}: drafted root 1 of the channel ${args.name}, ${root && digestText(root.digest)}`,
        lines: nextLines(contents, now),
        answer: draftedAnswer(drafted, now),
      },
      args,
      io,
    )
  },
})
