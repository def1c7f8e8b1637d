// What the library offers of the channels that are followed: until when they count, and no longer following one.
import { runVerb } from '../io/library/verb.ts'
import { RlpError } from '../model/error.ts'
import { type FollowedOptions, listGiven, listsGiven } from './followed-given.ts'
import { type FollowedStatus, judgeAllFollowed } from './judge-followed.ts'
import { type TrustUnfollowed, unfollow } from './unfollow.ts'

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
