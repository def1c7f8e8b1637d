// Agents of a lock, from their sources or from bundles that take their place → the lock with what is there now, or why it stays.
import { eachInLanes, farServer } from '../fleet/far-lanes.ts'
import { isSameEntry } from '../lock-file/same-entry.ts'
import { RlpError } from '../model/error.ts'
import type { Report } from '../model/report.ts'
import type { JobJudging } from '../verify/examine.ts'
import { refuseSameAgent } from './lock-add.ts'
import type { LockConcern, LockFlag } from './lock-compare.ts'
import { changeLock, type LockPlace, tidyLock, usableLock } from './lock-file.ts'
import { type LockUpdate, lookedAt, type UpdatedAgent, updateOf } from './lock-look.ts'
import { targetsOf, type UpdateAsked, type UpdateTarget } from './lock-targets.ts'

export interface UpdateFlags {
  readonly allowCapsChange: boolean
  readonly allowSignerChange: boolean
  readonly allowDowngrade: boolean
}

export interface UpdateCall extends UpdateAsked {
  readonly lock: LockPlace
  readonly flags: UpdateFlags
  readonly judging: JobJudging
  /** Look and compare, and write nothing. */
  readonly dryRun: boolean
}

export type UpdateOutcome =
  /** Nothing was written. */
  | { readonly is: 'not-trusted'; readonly reports: readonly Report[] }
  /** Nothing was written: these changes need a flag, or no flag allows them. */
  | {
      readonly is: 'refused'
      readonly updates: readonly LockUpdate[]
      readonly concerns: readonly LockConcern[]
    }
  | { readonly is: 'updated'; readonly updated: LockUpdated }

export interface LockUpdated {
  /** The lock, as the caller names it. */
  readonly lock: string
  /** Whether the lock pins something else now; with `dryRun`, whether it would. */
  readonly changed: boolean
  readonly updates: readonly LockUpdate[]
  /** The names of the agents that stay as they are locked. */
  readonly unchanged: readonly string[]
}

/** @throws RlpError NOT_FOUND for an agent that the lock has not; as `changeLock` */
export async function updateLock(call: UpdateCall): Promise<UpdateOutcome> {
  const { lock: place, judging } = call
  const source = await usableLock(place)
  const lanes = { server: ({ path }: UpdateTarget) => farServer(path), signal: judging.signal }
  const looked = await eachInLanes(await targetsOf(call, source), lanes, (target, until) =>
    lookedAt(target, source, { ...call, judging: { ...judging, signal: until } }),
  )
  const reports = looked.flatMap(one => one.report ?? [])
  if (reports.length > 0) return { is: 'not-trusted', reports }
  const found = looked.flatMap(one => one.found ?? [])
  refuseSameAgent(found.map(({ entry }) => entry))
  const taken = found.flatMap(({ update, isSame }) => (isSame ? [] : update))
  const updates = taken.map(updateOf)
  const unchanged = found.flatMap(({ update, isSame }) => (isSame ? update.agent : []))
  const against = found.flatMap(one => one.concerns).filter(({ flag }) => !passes(call.flags)[flag])
  if (against.length > 0) return { is: 'refused', updates, concerns: against }
  if (!call.dryRun) await write(call, taken)
  return { is: 'updated', updated: { lock: place.label, changed: updates.length > 0, updates, unchanged } }
}

function passes(flags: UpdateFlags): Readonly<Record<LockFlag, boolean>> {
  return {
    'caps-change': flags.allowCapsChange,
    'signer-change': flags.allowSignerChange,
    downgrade: flags.allowDowngrade,
    none: false,
  }
}

async function write(
  { lock: place, judging: { signal } }: UpdateCall,
  updates: readonly UpdatedAgent[],
): Promise<void> {
  if (updates.length === 0) return tidyLock(place, signal)
  await changeLock(
    place,
    lock => {
      const now = new Map(lock.agents)
      for (const { agent, before, after } of updates) {
        const there = now.get(agent)
        // What was compared is no longer what is there: the difference that was shown is another one.
        if (there === undefined || !isSameEntry(there, before)) throw changedMeanwhile(agent, place.label)
        now.set(agent, after)
      }
      return { ...lock, agents: now }
    },
    signal,
  )
}

function changedMeanwhile(agent: string, label: string): RlpError {
  return new RlpError('CHANGED_WHILE_READING', `Cannot write "${label}": ${agent} changed in it meanwhile`, {
    hint: 'Run the command again',
  })
}
