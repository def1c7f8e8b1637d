// What the library offers of the places of a channel: what is there, and from one to another.

import { type PathGiven, pathGiven } from '../io/library/caller.ts'
import { runVerb } from '../io/library/verb.ts'
import { isOciReference } from '../oci/scheme.ts'
import {
  type ChannelPulled,
  type ChannelPushed,
  type ChannelResult,
  channelAnswer,
  pulledAnswer,
  pushedAnswer,
} from './channel-answers.ts'
import { type ChannelPlaceOptions, folderGiven, useGiven } from './channel-given.ts'
import { contentsAt, refuseNoReference } from './open-channel.ts'
import { pullChannel } from './pull.ts'
import { pushChannel } from './push.ts'

export interface ChannelExchangeOptions extends ChannelPlaceOptions {
  /** Put the draft that is carried in the place of another one that is there. */
  readonly force?: boolean
}

/**
 * What a folder or a registry holds of a channel, who has signed, and what is due.
 *
 * @param channel its folder, or where it is published: `oci://HOST/REPOSITORY` or `oci-layout:FOLDER`
 *
 * @example
 * const { next, roots } = await channelStatus('house')
 * for (const { verb, why } of next) console.log(verb, why, roots.at(-1)?.blake3)
 *
 * @throws {@link RlpError} `NOT_FOUND`, `NOT_VERIFIED` for one that is not sound, `STORE`, `UNREACHABLE`, `TIMED_OUT`, `CANCELLED`
 */
export async function channelStatusPath(
  channel: PathGiven,
  options: ChannelPlaceOptions = {},
): Promise<ChannelResult> {
  return runVerb('channelStatus', options, async (given, io) => {
    const isReference = typeof channel === 'string' && isOciReference(channel)
    const at = isReference ? channel : pathGiven(channel, io, 'open the channel')
    const { now = new Date() } = given
    return channelAnswer(await contentsAt(at, useGiven(given, io)), now)
  })
}

/**
 * Publishes a channel, or hands its drafts to the others. What hosts would refuse is not pushed, and nothing goes back.
 *
 * @param to `oci://HOST/REPOSITORY` or `oci-layout:FOLDER`, without a tag
 *
 * @example
 * const { isNewForHosts } = await channelPush('house', 'oci-layout:published')
 * console.log(isNewForHosts)
 *
 * @throws {@link RlpError} `EXISTS` where the place knows more or something else, `NOT_VERIFIED` for what hosts would refuse, `NOT_FOUND`, `USAGE`,
 * `UNREACHABLE`, `TIMED_OUT`, `CANCELLED`
 */
export async function channelPushPath(
  folder: PathGiven,
  to: string,
  options: ChannelExchangeOptions = {},
): Promise<ChannelPushed> {
  return runVerb('channelPush', options, async (given, io) => {
    const { now = new Date(), force = false } = given
    const from = folderGiven(folder, io, 'push')
    refuseNoReference(to, 'push to', 'to')
    return pushedAnswer(await pushChannel(from, to, useGiven(given, io), { force, now }), now)
  })
}

/**
 * Fetches a channel with its drafts into a folder, to work on it.
 *
 * @param from `oci://HOST/REPOSITORY` or `oci-layout:FOLDER`, without a tag
 *
 * @example
 * const { draft } = await channelPull('oci-layout:published', 'house')
 * console.log(draft.release?.signed)
 *
 * @throws {@link RlpError} `EXISTS` for a folder with another channel or draft, `NOT_VERIFIED` for what is not sound, `NOT_FOUND`, `USAGE`, `UNREACHABLE`,
 * `TIMED_OUT`, `CANCELLED`
 */
export async function channelPullPath(
  from: string,
  folder: PathGiven,
  options: ChannelExchangeOptions = {},
): Promise<ChannelPulled> {
  return runVerb('channelPull', options, async (given, io) => {
    const { now = new Date(), force = false } = given
    const to = folderGiven(folder, io, 'pull')
    refuseNoReference(from, 'pull from', 'from')
    return pulledAnswer(await pullChannel(from, to, useGiven(given, io), { force, now }), to, now)
  })
}
