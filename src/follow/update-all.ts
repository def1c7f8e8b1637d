// Updates the channels that this host follows, once or again and again beside another job. One that fails does not hold up the others. If
// the program is killed at any point, the file of a channel is the old one or the new one.

import { setTimeout as wait } from 'node:timers/promises'
import { writeChannelState } from '../channel-file/state.ts'
import { type ChannelPlaces, channelPlaces, channelStatePath } from '../io/channel-places.ts'
import { Ways } from '../io/owner/ways.ts'
import { referenceIn } from '../io/reference.ts'
import { Deadline, timesAt } from '../io/wait/deadline.ts'
import type { Reach } from '../io/wait/reach.ts'
import { changeFile } from '../io/write/change-file.ts'
import type { FetchTimes } from '../model/carried.ts'
import type { ChannelState, FollowedChannel } from '../model/channel.ts'
import { isObstacle, RlpError } from '../model/error.ts'
import { CHANNEL_LIMITS } from '../model/limits.ts'
import type { OciReference } from '../model/oci.ts'
import { openStore } from '../registry/open-store.ts'
import { utcSecond } from '../text/time.ts'
import { newChannelState, type RefusedStatement } from '../trust/channels/advance.ts'
import { factsOf } from '../trust/channels/judge-channel.ts'
import { followedAt, stateOf } from '../trust/channels/read-channels.ts'
import { StoreOffer } from './channel-store.ts'
import { notFollowed } from './followed-list.ts'
import { takeOffer } from './take-offer.ts'

export interface Followed {
  readonly channel: FollowedChannel
  readonly places: ChannelPlaces
}

export type ChannelOutcome = Followed & ({ readonly updated: Updated } | { readonly error: RlpError })

/**
 * The channels of some lists.
 * @param name only the one of this name
 * @throws RlpError NOT_FOUND; as `followedAt`
 */
export async function followedIn(
  lists: readonly ChannelPlaces[],
  name: string | undefined,
): Promise<readonly Followed[]> {
  const all: Followed[] = []
  const ways = new Ways()
  for (const places of lists)
    for (const channel of await followedAt(places, ways)) all.push({ channel, places })
  if (name === undefined) return all
  const named = all.filter(({ channel }) => channel.name === name)
  const [last] = lists.slice(-1)
  if (named.length === 0 && last !== undefined) throw notFollowed(name, last)
  return named
}

/** Those that this user may update: what the system follows is root's. */
export function updatable(followed: readonly Followed[]): readonly Followed[] {
  const isRoot = process.getuid === undefined || process.getuid() === 0
  return followed.filter(({ places }) => isRoot || places.of === 'user')
}

/** Whether an update has brought other statements. */
export function isNew(outcome: ChannelOutcome): boolean {
  if ('error' in outcome) return false
  const { before, state } = outcome.updated
  const facts = (one: typeof state | undefined) => one && JSON.stringify(factsOf('', one))
  return facts(before) !== facts(state)
}

/** Whether all that is offered was taken. */
export function tookAll(outcome: ChannelOutcome): boolean {
  return 'updated' in outcome && outcome.updated.refused === undefined
}

/** What is known of a channel after an update; undefined if it could not be made. */
export function updatedState(outcome: ChannelOutcome) {
  return { name: outcome.channel.name, state: 'updated' in outcome ? outcome.updated.state : undefined }
}

/**
 * @param onDecided told of each, before it is written; not of a dry run
 * @throws RlpError CANCELLED
 */
export async function updateAll(
  followed: readonly Followed[],
  updating: Omit<Updating, 'onDecided'>,
  onDecided: (outcome: ChannelOutcome) => void = () => {},
): Promise<readonly ChannelOutcome[]> {
  const outcomes: ChannelOutcome[] = []
  for (const one of followed) {
    try {
      const here = { ...updating, onDecided: (updated: Updated) => onDecided({ ...one, updated }) }
      outcomes.push({ ...one, updated: await updateChannel(one.channel, one.places, here) })
    } catch (error) {
      if (!isObstacle(error)) throw error
      const outcome = { ...one, error }
      outcomes.push(outcome)
      if (!updating.dryRun) onDecided(outcome)
    }
  }
  return outcomes
}

interface Updating extends Reach {
  readonly now: Date
  /** Fetch and check, and write nothing. */
  readonly dryRun: boolean
  /** Told what is taken or refused, before it is written; not of a dry run. */
  readonly onDecided?: (updated: Updated) => void
}

interface Updated {
  readonly channel: FollowedChannel
  readonly before: ChannelState | undefined
  readonly state: ChannelState
  /** Why not all that is offered was taken. */
  readonly refused: RefusedStatement | undefined
}

/**
 * @throws RlpError as a store says; NO_PERMISSION and the like for the file; NOT_EDITABLE if it is damaged; CANCELLED. The file is then what it
 * was, but for roots that were proven
 */
export async function updateChannel(
  channel: FollowedChannel,
  places: ChannelPlaces,
  updating: Updating,
): Promise<Updated> {
  const path = channelStatePath(places, channel.root)
  const doing = `update the channel ${channel.name}`
  const reference = referenceIn(channel.reference, 'update')
  const times = await timesAt([reference.place], updating.access, { operationMs: WAIT_MS })
  // Read under the lock: another update may have gone further meanwhile.
  const read = () => stateOf(channel, places, new Ways())
  const take = (before: ChannelState | undefined, onRoot: OnRoot) =>
    takenFromStore({ channel, reference, before }, updating, times, onRoot)
  if (updating.dryRun) return take(await read(), async () => {})
  // Another update may take as long as this one.
  const locked = { path, doing, read, readBy: places.readBy, waitMs: times.operationMs }
  return changeFile({ ...locked, signal: updating.signal }, async (before, write) => {
    const put = (state: ChannelState) => write(bytesOf(state, doing))
    const updated = await take(before, put)
    updating.onDecided?.(updated)
    if (updated.refused === undefined) await put(updated.state)
    return updated
  })
}

/** Where config.toml states no time. */
const WAIT_MS = CHANNEL_LIMITS.updateSeconds * 1000

type OnRoot = (state: ChannelState) => Promise<void>

async function takenFromStore(
  {
    channel,
    reference,
    before,
  }: {
    readonly channel: FollowedChannel
    readonly reference: OciReference
    readonly before: ChannelState | undefined
  },
  updating: Updating,
  times: Partial<FetchTimes>,
  onRoot: OnRoot,
): Promise<Updated> {
  const { access, signal, now } = updating
  const store = await openStore(
    reference,
    { access, deadline: new Deadline(signal, times) },
    { writes: false },
  )
  try {
    const offer = await StoreOffer.at(store)
    const known = before ?? newChannelState(channel.root)
    if (offer.manifest === undefined) {
      const problem = `no channel is in ${store.label}`
      return { channel, before, state: known, refused: { code: 'missing', problem } }
    }
    const { state, refused } = await takeOffer(known, offer, now, onRoot)
    if (refused !== undefined) return { channel, before, state, refused }
    const updated = { ...state, manifest: offer.manifest, updated: utcSecond(now) }
    return { channel, before, state: updated, refused }
  } finally {
    await store.close()
  }
}

function bytesOf(state: ChannelState, doing: string): Uint8Array {
  const bytes = writeChannelState(state)
  if (bytes.length > CHANNEL_LIMITS.stateBytes || state.roots.length > CHANNEL_LIMITS.storedRoots)
    throw new RlpError(
      'LIMIT_EXCEEDED',
      `Cannot ${doing}: what is known of it would be too long to be read again`,
      {
        hint: 'Follow it again, with the digest of its newest root',
      },
    )
  return bytes
}

interface KeepUpdated {
  readonly seconds: number
  readonly reach: Reach
  /** Told what a channel brings, before it is written. */
  onDecided(outcome: ChannelOutcome): void
  /** Told after each round what became of each channel. */
  onOutcome(outcome: ChannelOutcome): void
  /** Told why what is followed could not be read. It is tried again the next time. */
  onProblem(error: RlpError): void
}

/**
 * At once, and then every so many seconds after the last update has ended. What this user may not write is left to root's timer.
 * @returns ends when `signal` aborts
 */
export async function keepUpdated(keep: KeepUpdated): Promise<void> {
  const { seconds } = keep
  const { signal } = keep.reach
  while (!signal.aborted) {
    await updateOnce(keep)
    await wait(seconds * 1000, undefined, { signal }).catch(() => {
      // Aborted: the loop ends.
    })
  }
}

async function updateOnce({ reach, onDecided, onOutcome, onProblem }: KeepUpdated): Promise<void> {
  try {
    const followed = await followedIn(channelPlaces(), undefined)
    const updating = { ...reach, now: new Date(), dryRun: false }
    for (const outcome of await updateAll(updatable(followed), updating, onDecided)) onOutcome(outcome)
  } catch (error) {
    if (!(error instanceof RlpError)) throw error
    if (error.code !== 'CANCELLED') onProblem(error)
  }
}
