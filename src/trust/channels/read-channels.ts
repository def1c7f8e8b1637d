// The channels that this host follows, on disk → a policy of each. No request is made, and nothing is written. What is followed and cannot be
// read decides nothing; it is never treated as "follows nothing".
import { readFollowed } from '../../channel-file/followed.ts'
import { readChannelState } from '../../channel-file/state.ts'
import { type ChannelPlaces, channelStatePath, listLabel } from '../../io/channel-places.ts'
import { homeLabel } from '../../io/home.ts'
import { readOwn } from '../../io/owner/read-own.ts'
import type { Ways } from '../../io/owner/ways.ts'
import type { ChannelState, FollowedChannel } from '../../model/channel.ts'
import { RlpError } from '../../model/error.ts'
import { CHANNEL_LIMITS } from '../../model/limits.ts'
import type { PolicySource } from '../../model/trust.ts'
import { unusablePolicy } from '../../trust-policy/unusable.ts'
import { judgeChannel } from './judge-channel.ts'

/** One policy for each channel, the system's first. */
export async function readChannels(
  now: Date,
  places: readonly ChannelPlaces[],
  ways: Ways,
): Promise<PolicySource[]> {
  const sources: PolicySource[] = []
  for (const place of places) {
    const followed = await orProblem(() => followedAt(place, ways))
    if ('problem' in followed) {
      const label = listLabel(place)
      const unusable = unusablePolicy(label, 'channel', undefined, [followed.problem])
      sources.push({ ...unusable, code: 'trust_channel_damaged', hint: followed.hint })
      continue
    }
    for (const channel of followed.value) sources.push(await judgeFollowed(channel, place, now, ways))
  }
  return sources
}

/**
 * What a list names; nothing where there is no list.
 * @throws RlpError NO_PERMISSION if others may write it; NOT_EDITABLE if it is malformed
 */
export async function followedAt(places: ChannelPlaces, ways: Ways): Promise<readonly FollowedChannel[]> {
  const bytes = await readOwn(places.list, ways, { home: places.home })
  if (bytes === undefined) return []
  const read = readFollowed(listLabel(places), bytes)
  if (!('problem' in read)) return read.value
  throw new RlpError('NOT_EDITABLE', `Cannot read the channels that are followed: ${read.problem}`, {
    hint: 'Correct the line; docs/channels.md shows the file',
  })
}

/** The policy of one channel, or why it decides nothing. */
export async function judgeFollowed(
  channel: FollowedChannel,
  places: ChannelPlaces,
  now: Date,
  ways: Ways,
): Promise<PolicySource> {
  const read = await orProblem(() => stateOf(channel, places, ways))
  if ('problem' in read) return judgeChannel(channel, read, now)
  const nothing = { problem: 'no update has brought anything of it yet', hint: 'Run rlp trust update' }
  return judgeChannel(channel, read.value ?? nothing, now)
}

/**
 * What is known of a channel; undefined before the first update.
 * @throws RlpError NO_PERMISSION if others may write it; NOT_EDITABLE if it is damaged
 */
export async function stateOf(
  { name, root }: FollowedChannel,
  places: ChannelPlaces,
  ways: Ways,
): Promise<ChannelState | undefined> {
  const path = channelStatePath(places, root)
  const bytes = await readOwn(path, ways, { most: CHANNEL_LIMITS.stateBytes })
  if (bytes === undefined) return undefined
  const read = readChannelState(bytes)
  if (read.ok) return read.state
  throw new RlpError('NOT_EDITABLE', `Cannot read ${homeLabel(path)}: ${read.problem}`, {
    hint: `Run rlp trust unfollow ${name}, and follow the channel again, with the digest of a root that a person gives you`,
  })
}

/** What cannot be read is a fact about the host, and the verdict says it. */
async function orProblem<T>(
  read: () => Promise<T>,
): Promise<{ readonly value: T } | { readonly problem: string; readonly hint: string | undefined }> {
  try {
    return { value: await read() }
  } catch (error) {
    if (!(error instanceof RlpError)) throw error
    return { problem: error.message, hint: error.hint }
  }
}
