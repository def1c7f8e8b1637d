// rlp channel status: what a folder or a registry holds of a channel, and what to do next.
import { type PathGiven, pathGiven } from '../../io/library/caller.ts'
import { isOciReference } from '../../oci/scheme.ts'
import { asItIs, commandOf, defineVerb, type Input, isText, needed } from '../../verb/index.ts'
import { type ChannelResult, channelAnswer } from '../answers.ts'
import { CHANNEL_PLACE, channelUse } from '../inputs.ts'
import { contentsAt } from '../open-channel.ts'
import { publishedLines } from '../render-channel.ts'

const channel: Input<PathGiven, string> = {
  type: 'PathGiven',
  typed: {
    type: 'string',
    complete: 'dir',
    describe: 'its folder, or where it is published: oci://HOST/REPOSITORY or oci-layout:FOLDER',
  },
  fromTyped: asItIs<string>,
  fromGiven: (given, { world }) =>
    isText(given) && isOciReference(given) ? given : pathGiven(given, world, 'open the channel'),
}

/**
 * What a folder or a registry holds of a channel, who has signed, and what is due.
 *
 * @param channel its folder, or where it is published: `oci://HOST/REPOSITORY` or `oci-layout:FOLDER`
 *
 * @example
 * const { next, roots } = await channelStatus('house')
 * for (const { verb, why } of next) console.log(verb, why, roots.at(-1)?.blake3)
 *
 * @throws {@link RlpError} `NOT_FOUND`, `NOT_VERIFIED` for one that is not sound, `STORE`, `UNREACHABLE`, `TIMED_OUT`, `CANCELLED`
 */
export const verb = defineVerb({
  name: 'channel status',
  summary: 'show a trust channel, who has signed, and what to do next',
  arguments: ['channel'],
  inputs: { channel: needed(channel), ...CHANNEL_PLACE },
  async run({ channel, home, now }, world) {
    const contents = await contentsAt(channel, await channelUse(world, home))
    return { contents, answer: channelAnswer(contents, now) }
  },
  answer: ({ answer }): ChannelResult => answer,
})

export const command = commandOf(verb, {
  examples: [
    ['rlp channel status house', 'the folder, with its drafts'],
    ['rlp channel status oci://registry.example/trust/house', 'what hosts are offered'],
    ['rlp channel status house --json', 'for a program'],
  ],
  notes:
    'Everything that is complete is checked: each root proves the next, and the release counts. The digest in the last line is the one to give to people who follow the channel; tell it to them yourself.',
  warnings: ({ answer }) => answer.warnings,
  text: ({ contents }, { asked: { now }, args }) =>
    `${publishedLines(contents, now, args.quiet).join('\n')}\n`,
})
