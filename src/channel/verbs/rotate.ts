// rlp channel rotate: drafts the next root.
import { passphrase } from '../../sign/passphrase-inputs.ts'
import { anchorsIn } from '../../sign/signing-inputs.ts'
import { digestText } from '../../text/digest-text.ts'
import { commandOf, defineVerb, whether } from '../../verb/index.ts'
import { type ChannelChanged, draftedAnswer } from '../answers.ts'
import { draftRotation } from '../drafting.ts'
import { CHANNEL, channelFolder, channelUse, lasting, lastingFor, numbered, publicKeys } from '../inputs.ts'
import { doneText, nextLines, PUBLISHING } from '../render-channel.ts'
import { draftedReleaseLines, draftedRootLines } from '../render-draft.ts'

/**
 * Drafts the next root: other people, or the same for longer. Hosts walk to it by themselves.
 *
 * @example
 * const { draft } = await channelRotate('house', { removeKeys: ['alan.pub'], addKeys: ['linus.pub'] })
 * console.log(draft.root?.keys)
 *
 * @throws {@link RlpError} `USAGE` for a root that no host would take, `NOT_FOUND`, `CANCELLED`
 */
export const verb = defineVerb({
  name: 'channel rotate',
  summary: 'draft the next root: change who may speak, or let the root last longer',
  arguments: ['folder'],
  inputs: {
    folder: channelFolder('rotate the root'),
    /** Public keys of people who may speak from now on. */
    addKeys: publicKeys('the public key of a person who may speak from now on', 'add-key'),
    /** Public keys that speak no longer. */
    removeKeys: publicKeys('a public key that speaks no longer', 'remove-key'),
    /** How many have to sign; as before where this is left out. */
    threshold: numbered('how many have to sign; as before where it is left out', 'N'),
    /** Public keys that make heartbeats from now on. */
    addHeartbeatKeys: publicKeys('a public key that makes heartbeats from now on', 'add-heartbeat-key'),
    /** Public keys that make heartbeats no longer. */
    removeHeartbeatKeys: publicKeys('a public key that makes heartbeats no longer', 'remove-heartbeat-key'),
    /** How long a heartbeat may last; as before where this is left out. */
    heartbeatSeconds: lasting('how long a heartbeat may last; as before where it is left out', 'heartbeat'),
    /** When the root has to be rotated at the latest; 365 days where this is left out. */
    expiresSeconds: lastingFor('when the root has to be rotated at the latest', 'expires', '365d'),
    newEpoch: whether('count releases from 1 again: after a thief has driven their numbers up', {
      flag: 'epoch',
    }),
    passphrase,
    ...CHANNEL,
  },
  async run({ folder, passphrase, now, addHeartbeatKeys, removeHeartbeatKeys, ...asked }, world) {
    const change = {
      ...asked,
      addKeys: await anchorsIn(asked.addKeys, passphrase),
      removeKeys: await anchorsIn(asked.removeKeys, passphrase),
      addHeartbeats: await anchorsIn(addHeartbeatKeys, passphrase),
      removeHeartbeats: await anchorsIn(removeHeartbeatKeys, passphrase),
    }
    const drafted = await draftRotation(folder, change, { ...(await channelUse(world)), now })
    return { ...drafted, answer: draftedAnswer(drafted, now) }
  },
  answer: ({ answer }): ChannelChanged => answer,
})

export const command = commandOf(verb, {
  ...PUBLISHING,
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
  text({ contents }, { asked: { folder, now }, style }) {
    const { root, release } = contents.draft
    const also = release === undefined ? '' : `, and release ${release.statement.version} under it`
    const done = `${folder}: drafted root ${root?.statement.version}${also}, ${root && digestText(root.digest)}`
    const lines = [...draftedRootLines(contents, now), ...draftedReleaseLines(contents, now)]
    return doneText(done, [...lines, ...nextLines(contents, now)], style)
  },
})
