// rlp channel init: begins a trust channel in a folder.
import { passphrase } from '../../sign/passphrase-inputs.ts'
import { anchorsIn } from '../../sign/signing-inputs.ts'
import { digestText } from '../../text/digest-text.ts'
import { commandOf, defineVerb, needed, text } from '../../verb/index.ts'
import { type ChannelChanged, draftedAnswer } from '../answers.ts'
import { initChannel } from '../drafting.ts'
import { CHANNEL, channelFolder, channelUse, lastingFor, numbered, publicKeys } from '../inputs.ts'
import { doneText, nextLines, PUBLISHING } from '../render-channel.ts'

/**
 * Begins a trust channel in a folder: a draft of root 1. As many of its keys as `threshold` says have to sign it with {@link channelSign}.
 *
 * @example
 * const keys = ['ada.pub', 'alan.pub', 'grace.pub']
 * const { draft } = await channelInit('house', { name: 'house', keys, threshold: 2, heartbeatKeys: ['beat.pub'] })
 * console.log(draft.root?.blake3)
 *
 * @throws {@link RlpError} `USAGE` for a name, keys or a threshold that no host would take, `EXISTS` if the folder holds a channel, `NOT_FOUND` for a
 * key, `CANCELLED`
 */
export const verb = defineVerb({
  name: 'channel init',
  summary: 'begin a trust channel: say who may speak for it',
  arguments: ['folder'],
  inputs: {
    folder: channelFolder('begin a channel'),
    name: needed(text('what to call it, for display', { placeholder: 'NAME' })),
    /** The public keys of the people who may speak for it, as `key` of {@link sign} names one, or `ed25519:…`. */
    keys: needed(publicKeys('the public key of a person who may speak for it; once for each', 'key')),
    threshold: needed(numbered('how many of them have to sign a root or a release', 'N')),
    /** Public keys that say, every few hours, that nothing newer is there. */
    heartbeatKeys: needed(
      publicKeys('a public key that says, every few hours, that nothing newer is there', 'heartbeat-key'),
    ),
    /** How long a heartbeat may last, after which hosts trust nothing; a day where this is left out. */
    heartbeatSeconds: lastingFor(
      'how long a heartbeat may last; after it, hosts trust nothing',
      'heartbeat',
      '24h',
    ),
    /** When the root has to be rotated at the latest; 365 days where this is left out. */
    expiresSeconds: lastingFor('when the root has to be rotated at the latest', 'expires', '365d'),
    passphrase,
    ...CHANNEL,
  },
  async run({ folder, keys, heartbeatKeys, passphrase, now, ...about }, world) {
    const beginning = {
      ...about,
      keys: await anchorsIn(keys, passphrase),
      heartbeats: await anchorsIn(heartbeatKeys, passphrase),
    }
    const drafted = await initChannel(folder, beginning, await channelUse(world), now)
    return { ...drafted, answer: draftedAnswer(drafted, now) }
  },
  answer: ({ answer }): ChannelChanged => answer,
})

export const command = commandOf(verb, {
  ...PUBLISHING,
  examples: [
    [
      'rlp channel init house --name house --key ada.pub --key alan.pub --key grace.pub --threshold 2 --heartbeat-key beat.pub',
      'two of three people',
    ],
  ],
  notes:
    'Makes a draft of root 1. As many of its keys as --threshold says have to sign it with rlp channel sign. Take the public keys from the people themselves. The key of heartbeats is another key, on a machine with a timer.\n\ndocs/channels.md goes through it step by step.',
  text({ contents }, { asked: { folder, name, now }, style }) {
    const { root } = contents.draft
    const done = `${folder}: drafted root 1 of the channel ${name}, ${root && digestText(root.digest)}`
    return doneText(done, nextLines(contents, now), style)
  },
})
