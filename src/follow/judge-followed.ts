// The channels that this host follows → what is known of each, and until when it counts. No request is made.

import type { ChannelPlaces } from '../io/channel-places.ts'
import type { ChannelFacts } from '../model/channel.ts'
import type { ChannelCode } from '../model/reason-codes.ts'
import type { PolicySource } from '../model/trust.ts'
import { digestText } from '../text/digest-text.ts'
import { judgeFollowed, stateOf } from '../trust/channels/read-channels.ts'
import { oneKeyWarnings } from './one-key.ts'
import { type Followed, followedIn } from './update-all.ts'

interface JudgedChannel extends Followed {
  readonly source: PolicySource
}

/** @throws RlpError as reading the lists does */
export async function judgeAllFollowed(
  lists: readonly ChannelPlaces[],
  now: Date,
): Promise<{ readonly judged: readonly JudgedChannel[]; readonly answer: FollowedStatus }> {
  const followed = await followedIn(lists, undefined)
  const judged = await Promise.all(
    followed.map(async ({ channel, places }) => {
      return { channel, places, source: await judgeFollowed(channel, places, now) }
    }),
  )
  const known = judged.filter(({ source }) => source.policy !== undefined)
  const states = await Promise.all(
    known.map(async ({ channel, places }) => {
      return { name: channel.name, state: await stateOf(channel, places) }
    }),
  )
  return { judged, answer: { channels: judged.map(followedFacts), warnings: oneKeyWarnings(states) } }
}

export interface FollowedStatus {
  readonly channels: readonly FollowedFacts[]
  readonly warnings: readonly string[]
}

export interface FollowedFacts {
  /** What it is called here. */
  readonly name: string
  /** Whose list names it. */
  readonly of: 'system' | 'user'
  readonly reference: string
  /** The root that is pinned, `blake3:…`. */
  readonly pinned: string
  /** False: it decides nothing, and so every verdict here is indeterminate. */
  readonly isUsable: boolean
  readonly code: ChannelCode | null
  readonly problems: readonly string[]
  /** What is known of it. */
  readonly channel: ChannelFacts | undefined
}

function followedFacts({ channel, places, source }: JudgedChannel): FollowedFacts {
  return {
    name: channel.name,
    of: places.of,
    reference: channel.reference,
    pinned: digestText(channel.root),
    isUsable: source.policy !== undefined,
    code: source.code ?? null,
    problems: source.problems,
    channel: source.channel,
  }
}
