// rlp trust follow: take the trust policy that others publish, from now on.
import { listLabel } from '../../io/channel-places.ts'
import { commandOf, defineVerb, needed, text } from '../../verb/index.ts'
import { audit } from '../../verb/kinds/audit.ts'
import { followedAnswer, type TrustFollowed } from '../answers.ts'
import { followDecided } from '../audit-lines.ts'
import { addFollowed, channelAsked } from '../followed-list.ts'
import { FOLLOWED, listToChange } from '../inputs.ts'
import { outcomeLine, printUpdated, updatedExit } from '../render-followed.ts'
import { tookAll } from '../update-all.ts'
import { updateRecorded } from '../update-recorded.ts'

/**
 * Takes the trust policy that a channel publishes, from now on, and fetches it. It applies beside the system's and the user's. Every verdict is
 * `indeterminate` while the channel is not there, or has ended; `channels` says whether it could be fetched.
 *
 * @param channel `oci://HOST/REPOSITORY` or `oci-layout:FOLDER`, without a tag
 *
 * @example
 * const root = 'blake3:8f4e…' // from a person, not from the registry
 * const { channels } = await trustFollow('oci://registry.example/trust/house', { root })
 * console.log(channels[0]?.changed, channels[0]?.refused)
 *
 * @throws {@link RlpError} `USAGE`, `EXISTS` where another channel has this name or place, `NOT_EDITABLE`, `NO_PERMISSION`, `CANCELLED`
 */
export const verb = defineVerb({
  name: 'trust follow',
  summary: 'take the trust policy that a channel publishes, from now on',
  arguments: ['channel'],
  inputs: {
    channel: needed(text('oci://HOST/REPOSITORY or oci-layout:FOLDER, without a tag', { complete: 'none' })),
    /** The digest of one of its roots, `blake3:…`, which a person who publishes it gave you. */
    root: needed(
      text('the digest of one of its roots, which a person who publishes it gave you', {
        placeholder: 'blake3:HEX',
      }),
    ),
    /** What to call it here; the last part of its reference where this is left out. */
    name: text('what to call it here; the last part of its reference', { placeholder: 'NAME' }),
    ...FOLLOWED,
    audit,
  },
  async run({ channel: reference, root, name, ...asked }, world) {
    const channel = channelAsked({ channel: reference, root, name }, world.cwd)
    const places = listToChange(asked)
    const isAdded = await addFollowed(channel, places, world.signal, () =>
      asked.audit?.record(followDecided('follow', channel)),
    )
    const updates = await updateRecorded([{ channel, places }], { ...asked, dryRun: false }, world)
    return { ...updates, name: channel.name, places, isAdded }
  },
  answer: ({ outcomes, places, isAdded }): TrustFollowed => followedAnswer(outcomes, places, isAdded),
})

export const command = commandOf(verb, {
  examples: [
    ['rlp trust follow oci://registry.example/trust/house --root blake3:…', 'for you'],
    [
      'rlp trust follow oci://registry.example/trust/house --root blake3:… --system',
      'for everybody on this host',
    ],
  ],
  notes:
    'Its policy applies beside the system’s and yours: a bundle has to pass all of them. From now on every verdict is indeterminate while the channel is not there, or has ended. Get the digest from a person, not from the registry: rlp channel status prints it where the channel is published.',
  exit: updatedExit,
  print(followed, { args, io }) {
    const { outcomes, name, places, isAdded } = followed
    const first = isAdded ? `followed, and written down in ${listLabel(places)}` : 'followed already'
    const answer = followedAnswer(outcomes, places, isAdded)
    const lines = [`${name}: ${first}`, ...outcomes.map(one => outcomeLine(one, io.color))]
    if (!outcomes.every(tookAll))
      lines.push(
        `Until an update succeeds, every verdict here is indeterminate. rlp trust unfollow ${name} takes it back`,
      )
    printUpdated(followed, { tool: 'trust.follow', answer, lines }, args, io)
  },
})
