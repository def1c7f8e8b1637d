// rlp channel pull: a channel from where it is published into a folder, to work on it.
import { commandOf, defineVerb, whether } from '../../verb/index.ts'
import { type ChannelPulled, pulledAnswer } from '../answers.ts'
import { pullChannel } from '../exchange.ts'
import { CHANNEL_PLACE, channelFolder, channelUse, otherPlace } from '../inputs.ts'
import { doneText, PUBLISHING, publishedLines } from '../render-channel.ts'

/**
 * Fetches a channel with its drafts into a folder, to work on it.
 *
 * @param from `oci://HOST/REPOSITORY` or `oci-layout:FOLDER`, without a tag
 *
 * @example
 * const { draft } = await channelPull('oci-layout:published', 'house')
 * console.log(draft.release?.signed)
 *
 * @throws {@link RlpError} `EXISTS` for a folder with another channel or draft, `NOT_VERIFIED` for what is not sound, `NOT_FOUND`, `USAGE`, `UNREACHABLE`,
 * `TIMED_OUT`, `CANCELLED`
 */
export const verb = defineVerb({
  name: 'channel pull',
  summary: 'fetch a trust channel with its drafts into a folder, to work on it',
  arguments: ['from', 'folder'],
  inputs: {
    folder: channelFolder('pull'),
    from: otherPlace('pull from'),
    force: whether('take the draft that is there in the place of another one in the folder'),
    ...CHANNEL_PLACE,
  },
  async run({ folder, from, force, home, now }, world) {
    const pulled = await pullChannel(from, folder, await channelUse(world, home), { force, now })
    return { ...pulled, answer: pulledAnswer(pulled, folder, now) }
  },
  answer: ({ answer }): ChannelPulled => answer,
})

export const command = commandOf(verb, {
  ...PUBLISHING,
  examples: [
    ['rlp channel pull oci://registry.example/trust/house house', 'from a registry'],
    ['rlp channel pull oci-layout:published house', 'from a folder'],
  ],
  notes:
    'Each root has to prove the next. What the folder has and the place has not, stays: signatures on one draft are joined. In a new folder compare the digest of the root with the one that the others tell you.',
  text: ({ contents, changed }, { asked: { folder, now }, style }) =>
    doneText(`${folder}: ${changed ? 'pulled' : 'nothing new'}`, publishedLines(contents, now, false), style),
})
