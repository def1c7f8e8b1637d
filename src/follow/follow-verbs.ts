// What the library offers to those who follow channels: taking the trust policy that others publish.
import { homeGiven } from '../io/library/caller.ts'
import { runVerb } from '../io/library/verb.ts'
import type { Setting } from '../io/setting.ts'
import { reachWith } from '../io/wait/reach.ts'
import { channelAsked } from './channel-asked.ts'
import { addFollowed } from './follow.ts'
import { type FollowedOptions, listGiven, listsGiven } from './followed-given.ts'
import { followedIn, updatable, updateAll } from './update-all.ts'
import { followedAnswer, type TrustFollowed, type TrustUpdated, updatedAnswer } from './update-answers.ts'

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
