// The answers of `trust follow`, `trust update` and `trust status`: what is known of each channel, and until when it counts. The status
// makes no request.
import { type ChannelPlaces, listLabel } from '../io/channel-places.ts'
import { Ways } from '../io/owner/ways.ts'
import type { ChannelFacts, ChannelState } from '../model/channel.ts'
import type { ChannelCode } from '../model/reason-codes.ts'
import type { PolicySource } from '../model/trust.ts'
import { digestText } from '../text/digest-text.ts'
import { factsOf } from '../trust/channels/judge-channel.ts'
import { judgeFollowed, stateOf } from '../trust/channels/read-channels.ts'
import { oneKeyWarnings } from './one-key.ts'
import { type ChannelOutcome, type Followed, followedIn, isNew, updatedState } from './update-all.ts'

export interface ChannelUpdated {
  /** The name of the channel on this host. */
  readonly name: string
  /** The owner of the list that names it. */
  readonly of: 'system' | 'user'
  readonly reference: string
  /** The root that is pinned, `blake3:…`. */
  readonly root: string
  /** Whether it has a newer root or release; of a dry run, whether it would have. A fresh heartbeat alone changes nothing. */
  readonly changed: boolean
  /** True if anything of it is new, also if it is a heartbeat alone. */
  readonly isNew: boolean
  /** The reason why the host did not take everything, or could not reach the channel. Null if it took everything that is offered. */
  readonly refused: { readonly code: string; readonly message: string; readonly hint?: string } | null
  /** The state of the channel; null if it could not be reached. */
  readonly channel: ChannelFacts | null
}

export interface TrustUpdated {
  /** Whether one of the channels has a newer root or release; of a dry run, whether it would have. */
  readonly changed: boolean
  readonly channels: readonly ChannelUpdated[]
  readonly warnings: readonly string[]
}

export interface TrustFollowed extends TrustUpdated {
  /** Whether the channel was not followed before, or has a newer root or release. */
  readonly changed: boolean
  /** The list that names it. */
  readonly list: string
}

export function updatedAnswer(outcomes: readonly ChannelOutcome[]): TrustUpdated {
  const channels = outcomes.map(channelUpdated)
  return {
    changed: channels.some(({ changed }) => changed),
    channels,
    warnings: oneKeyWarnings(outcomes.map(updatedState)),
  }
}

/** @param isAdded whether the list did not name the channel before */
export function followedAnswer(
  outcomes: readonly ChannelOutcome[],
  places: ChannelPlaces,
  isAdded: boolean,
): TrustFollowed {
  const updated = updatedAnswer(outcomes)
  return { ...updated, changed: isAdded || updated.changed, list: listLabel(places) }
}

function channelUpdated(outcome: ChannelOutcome): ChannelUpdated {
  const { channel, places } = outcome
  const about = {
    name: channel.name,
    of: places.of,
    reference: channel.reference,
    root: digestText(channel.root),
    isNew: isNew(outcome),
  }
  if ('error' in outcome) {
    const { code, message, hint } = outcome.error
    return { ...about, changed: false, refused: { code, message, ...(hint && { hint }) }, channel: null }
  }
  const { before, state, refused } = outcome.updated
  return {
    ...about,
    changed: newestStatements(before) !== newestStatements(state),
    refused: refused === undefined ? null : { code: refused.code, message: refused.problem },
    channel: factsOf(channel.name, state),
  }
}

function newestStatements(state: ChannelState | undefined): string {
  return [state?.roots.at(-1), state?.release].map(one => one?.digest ?? '').join()
}

export interface JudgedChannel extends Followed {
  readonly source: PolicySource
}

/** @throws RlpError as reading the lists does */
export async function judgeAllFollowed(
  lists: readonly ChannelPlaces[],
  now: Date,
): Promise<{ readonly judged: readonly JudgedChannel[]; readonly answer: FollowedStatus }> {
  const followed = await followedIn(lists, undefined)
  const ways = new Ways()
  const judged = await Promise.all(
    followed.map(async ({ channel, places }) => {
      return { channel, places, source: await judgeFollowed(channel, places, now, ways) }
    }),
  )
  const known = judged.filter(({ source }) => source.policy !== undefined)
  const states = await Promise.all(
    known.map(async ({ channel, places }) => {
      return { name: channel.name, state: await stateOf(channel, places, ways) }
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
