// The functions of the library for those who follow trust channels: follow, update, status and unfollow.

import type { ChannelOptions } from '../channel/verbs.ts'
import { type ChannelPlaces, channelPlaces, SYSTEM, userPlaces } from '../io/channel-places.ts'
import { homeGiven, type PathGiven } from '../io/library/caller.ts'
import { runVerb } from '../io/library/verb.ts'
import type { Setting } from '../io/setting.ts'
import { reachWith } from '../io/wait/reach.ts'
import { RlpError } from '../model/error.ts'
import {
  type FollowedStatus,
  followedAnswer,
  judgeAllFollowed,
  type TrustFollowed,
  type TrustUpdated,
  updatedAnswer,
} from './answers.ts'
import { addFollowed, channelAsked } from './followed-list.ts'
import { type TrustUnfollowed, unfollow } from './unfollow.ts'
import { followedIn, updatable, updateAll } from './update-all.ts'

export interface TrustFollowOptions extends FollowedOptions {
  /** The digest of one of its roots, `blake3:…`, which a person who publishes it gave you. */
  readonly root: string
  /** What to call it here; the last part of its reference where this is left out. */
  readonly name?: string
}

export interface TrustUpdateOptions extends FollowedOptions {
  /** Only the channel of this name. */
  readonly name?: string
  /** Fetch and check, and write nothing. */
  readonly dryRun?: boolean
}

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
export async function trustFollowPath(channel: string, options: TrustFollowOptions): Promise<TrustFollowed> {
  return runVerb('trustFollow', options, async (given, io) => {
    const { root, name } = given
    const asked = channelAsked({ channel, root, name }, io.cwd)
    const places = listGiven(given, io)
    const isAdded = await addFollowed(asked, places, io.signal)
    const outcomes = await updateAll([{ channel: asked, places }], updatingGiven(given, io))
    return followedAnswer(outcomes, places, isAdded)
  })
}

/**
 * Fetches what the channels that are followed have published since. What cannot be proven is refused, and what was there stays.
 *
 * @example
 * const { channels } = await trustUpdate()
 * for (const { name, refused } of channels) if (refused !== null) console.error(name, refused.message)
 *
 * @throws {@link RlpError} `NOT_FOUND` for a name that is not followed, `NOT_EDITABLE`, `NO_PERMISSION`, `CANCELLED`; what becomes of each channel is in
 * the answer
 */
export async function trustUpdatePath(options: TrustUpdateOptions = {}): Promise<TrustUpdated> {
  return runVerb('trustUpdate', options, async (given, io) => {
    const { name, dryRun = false, system = false } = given
    const followed = await followedIn(listsGiven(given, io), name)
    // An ordinary user follows their own; what the system follows is root's.
    const mine = system ? followed : updatable(followed)
    return updatedAnswer(await updateAll(mine, { ...updatingGiven(given, io), dryRun }))
  })
}

function updatingGiven(given: FollowedOptions, io: Setting) {
  return { ...reachWith(io, homeGiven(given, io)), now: given.now ?? new Date(), dryRun: false }
}

export interface TrustUnfollowOptions extends Omit<FollowedOptions, 'now'> {
  /** Whether it may be forgotten: it is shown what will no longer be judged. Without it nothing is changed. */
  readonly mayUnfollow?: (lost: readonly string[]) => boolean | Promise<boolean>
}

/**
 * The channels that are followed, and until when they count. No request is made.
 *
 * @example
 * const { channels } = await trustStatus()
 * for (const { name, isUsable, problems } of channels) console.log(name, isUsable, problems)
 *
 * @throws {@link RlpError} `NOT_EDITABLE`, `NO_PERMISSION`, `CANCELLED`
 */
export async function trustStatusPath(options: FollowedOptions = {}): Promise<FollowedStatus> {
  return runVerb('trustStatus', options, async (given, io) => {
    return (await judgeAllFollowed(listsGiven(given, io), given.now ?? new Date())).answer
  })
}

/**
 * No longer takes the trust policy of a channel, and forgets what is known of it.
 *
 * @example
 * const { lost } = await trustUnfollow('house', { mayUnfollow: () => true })
 * console.log(lost)
 *
 * @throws {@link RlpError} `NEEDS_ANSWER` where `mayUnfollow` does not say yes, `NOT_FOUND`, `NOT_EDITABLE`, `NO_PERMISSION`, `CANCELLED`
 */
export async function trustUnfollowPath(
  name: string,
  options: TrustUnfollowOptions = {},
): Promise<TrustUnfollowed> {
  return runVerb('trustUnfollow', options, async (given, io) => {
    const places = listGiven(given, io)
    const mayUnfollow = async (lost: readonly string[]) => {
      if ((await given.mayUnfollow?.(lost)) === true) return
      throw new RlpError('NEEDS_ANSWER', `Cannot unfollow ${name}: mayUnfollow has not agreed to it`, {
        hint: 'Look at what is lost, and answer true in mayUnfollow',
      })
    }
    return unfollow(name, { places, signal: io.signal, mayUnfollow })
  })
}

export interface FollowedOptions extends ChannelOptions {
  /** For every user of this host: `/etc/runloop/channels.toml` and `/var/lib/runloop/channels`. */
  readonly system?: boolean
  /** The user's folder, in place of `$RUNLOOP_HOME` or `~/.runloop`. */
  readonly home?: PathGiven
}

/** The one list that is changed. */
function listGiven(given: FollowedOptions, io: Setting): ChannelPlaces {
  return given.system === true ? SYSTEM : userPlaces(homeGiven(given, io))
}

/** The lists that are looked at. */
function listsGiven(given: FollowedOptions, io: Setting): readonly ChannelPlaces[] {
  return given.system === true ? [SYSTEM] : channelPlaces(homeGiven(given, io))
}
