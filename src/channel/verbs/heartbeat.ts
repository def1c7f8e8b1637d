// rlp channel heartbeat: says that what is complete is still the newest.
import { signerGiven } from '../../sign/signing-inputs.ts'
import { commandOf, defineVerb } from '../../verb/index.ts'
import { type ChannelHeartbeatMade, heartbeatAnswer } from '../answers.ts'
import { makeHeartbeat } from '../heartbeat.ts'
import { channelFolder, channelUse, lasting, SIGNING } from '../inputs.ts'
import { builtOnLines, doneText, nextLines, PUBLISHING } from '../render-channel.ts'

/**
 * Says that the newest release is still the newest: for a timer, several times for each duration.
 *
 * @example
 * const { heartbeat } = await channelHeartbeat('house', { key: 'beat' })
 * console.log(heartbeat?.expires)
 *
 * @throws {@link RlpError} `USAGE` for a key that makes no heartbeats, or an end that the root does not allow, `NOT_VERIFIED` for a heartbeat that no host
 * would take and for one of less than this user has seen, `NEEDS_ANSWER` without `afterEnd` once the last one has expired, `NOT_FOUND`, `CANCELLED`
 */
export const verb = defineVerb({
  name: 'channel heartbeat',
  summary: 'say that the newest release is still the newest',
  arguments: ['folder'],
  inputs: {
    folder: channelFolder('make a heartbeat'),
    ...SIGNING,
    /** How long it lasts; as long as the root allows where this is left out. */
    expiresSeconds: lasting('how long it lasts; as long as the root allows where it is left out', 'expires'),
  },
  async run({ folder, afterEnd, expiresSeconds, home, now, ...signing }, world) {
    const signer = await signerGiven(signing)
    const use = { ...(await channelUse(world, home)), expiresSeconds, now, afterEnd }
    const made = await makeHeartbeat(folder, signer, use, base => {
      for (const line of builtOnLines(base, now)) world.tell(line)
    })
    return { ...made, answer: heartbeatAnswer(made, now) }
  },
  answer: ({ answer }): ChannelHeartbeatMade => answer,
})

export const command = commandOf(verb, {
  ...PUBLISHING,
  examples: [
    ['rlp channel heartbeat house --key beat', 'as long as the root allows'],
    ['rlp channel heartbeat house --key beat --expires 12h', 'for less'],
  ],
  notes:
    'Asks nothing: it is for a timer, several times for each duration. Says which release and heartbeat it builds on, and refuses if this user has seen a newer one. Once the last heartbeat has expired, a person has to make the next one, with --after-end. A timer never passes that option: it cannot know which release is the newest. Hosts that see no newer heartbeat trust nothing after its end. It names what is complete in the folder: run rlp channel pull before, and rlp channel push after it.',
  text({ contents, heartbeat }, { asked: { folder, now }, style }) {
    const { root, release, expires } = heartbeat.statement
    const done = `${folder}: heartbeat of root ${root.version} and release ${release.version}, until ${expires}`
    return doneText(done, nextLines(contents, now), style)
  },
})
