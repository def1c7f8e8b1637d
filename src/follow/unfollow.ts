// A channel that this host follows → no longer followed, after what is lost by it was shown.

import { rememberFollowed } from '../channel/seen.ts'
import { type ChannelPlaces, listLabel } from '../io/channel-places.ts'
import { runloopHome } from '../io/home.ts'
import { Ways } from '../io/owner/ways.ts'
import type { FollowedChannel } from '../model/channel.ts'
import { RlpError } from '../model/error.ts'
import type { PolicySource } from '../model/trust.ts'
import { judgeFollowed, stateOf } from '../trust/channels/read-channels.ts'
import { removeFollowed, tidyFollowed } from './followed-list.ts'
import { followedIn } from './update-all.ts'

interface Unfollowing {
  readonly places: ChannelPlaces
  readonly signal: AbortSignal
  /** Sees what will no longer be judged; throws to prevent it. */
  mayUnfollow(lost: readonly string[]): Promise<void>
  /** Told before anything is changed. */
  record?(channel: FollowedChannel): void
}

export interface TrustUnfollowed {
  /** Always true: a channel that is not followed is an error. */
  readonly changed: boolean
  /** The list that named it. */
  readonly list: string
  readonly name: string
  readonly reference: string
  /** What is no longer judged: sentences. */
  readonly lost: readonly string[]
}

/** @throws RlpError NOT_FOUND for one that is not followed */
export async function unfollow(name: string, unfollowing: Unfollowing): Promise<TrustUnfollowed> {
  const { places, signal } = unfollowing
  await tidyFollowed(places, signal)
  const [found] = await followedIn([places], name)
  if (found === undefined) throw new TypeError('it was found')
  const { channel } = found
  const lost = lostLines(await judgeFollowed(channel, places, new Date(), new Ways()))
  await unfollowing.mayUnfollow(lost)
  // Someone who publishes it as well must not sign less than this host has seen.
  const state = await orDamaged(() => stateOf(channel, places, new Ways()))
  const home = places.home ?? runloopHome()
  if (state !== undefined) await rememberFollowed(state, { home, now: new Date(), signal })
  await removeFollowed(channel, places, signal, () => unfollowing.record?.(channel))
  return { changed: true, list: listLabel(places), name, reference: channel.reference, lost }
}

/** Undefined also for a file that cannot be read: following the channel no longer is what repairs that. */
async function orDamaged<T>(read: () => Promise<T>): Promise<T | undefined> {
  try {
    return await read()
  } catch (error) {
    if (!(error instanceof RlpError)) throw error
    return undefined
  }
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
