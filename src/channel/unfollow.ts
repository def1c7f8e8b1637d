// A channel that this host follows → no longer followed, after what is lost by it was shown.
import type { ChannelPlaces } from '../io/channel-places.ts'
import type { FollowedChannel } from '../model/channel.ts'
import type { PolicySource } from '../model/trust.ts'
import { judgeFollowed } from '../trust/channels/read-channels.ts'
import { removeFollowed, tidyFollowed } from './follow.ts'
import { followedIn } from './update-all.ts'

interface Unfollowing {
  readonly places: ChannelPlaces
  readonly signal: AbortSignal
  /** Sees what will no longer be judged; throws to prevent it. */
  mayUnfollow(lost: readonly string[]): Promise<void>
  /** Told before anything is changed. */
  record?(channel: FollowedChannel): void
}

export interface Unfollowed {
  readonly channel: FollowedChannel
  /** What is no longer judged: sentences. */
  readonly lost: readonly string[]
}

/** @throws RlpError NOT_FOUND for one that is not followed */
export async function unfollow(name: string, unfollowing: Unfollowing): Promise<Unfollowed> {
  const { places, signal } = unfollowing
  await tidyFollowed(places, signal)
  const [found] = await followedIn([places], name)
  if (found === undefined) throw new TypeError('it was found')
  const { channel } = found
  const lost = lostLines(await judgeFollowed(channel, places, new Date()))
  await unfollowing.mayUnfollow(lost)
  await removeFollowed(channel, places, signal, () => unfollowing.record?.(channel))
  return { channel, lost }
}

/** What will no longer be judged. */
function lostLines({ policy }: PolicySource): string[] {
  if (policy === undefined) return ['what it says is not known here: it decided nothing']
  const { anchors, require, floors, revokedKeys, revokedBundles } = policy
  const revoked = revokedKeys.size + revokedBundles.size
  return [
    ...(anchors.length > 0 ? [`its signers: ${anchors.map(({ name }) => name).join(', ')}`] : []),
    ...(require === undefined ? [] : ['what it requires']),
    ...(floors.size > 0
      ? [`its floors: ${[...floors].map(([agent, version]) => `${agent} ${version}`).join(', ')}`]
      : []),
    ...(revoked > 0 ? [`its revocations: ${revoked}`] : []),
  ].map(line => `no longer judged by ${line}`)
}
