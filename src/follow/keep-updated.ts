// The channels that are followed, updated again and again while another job runs.

import { setTimeout as wait } from 'node:timers/promises'
import { channelPlaces } from '../io/channel-places.ts'
import type { Reach } from '../io/wait/reach.ts'
import { RlpError } from '../model/error.ts'
import { type ChannelOutcome, followedIn, updatable, updateAll } from './update-all.ts'

export interface KeepUpdated {
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
