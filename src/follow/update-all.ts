// Every channel that this host follows → its newest state, one after the other; one that fails does not hold the others.
import type { ChannelPlaces } from '../io/channel-places.ts'
import type { FollowedChannel } from '../model/channel.ts'
import { isObstacle, type RlpError } from '../model/error.ts'
import { factsOf } from '../trust/channels/judge-channel.ts'
import { followedAt } from '../trust/channels/read-channels.ts'
import { notFollowed } from './follow.ts'
import { type Updated, type Updating, updateChannel } from './update.ts'

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
  for (const places of lists) for (const channel of await followedAt(places)) all.push({ channel, places })
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
