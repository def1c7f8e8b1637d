// Agents of a lock, from their sources or from bundles that take their place → the lock with what is there now, or why it stays.
import { RlpError } from '../model/error.ts'
import type { LockedAgent } from '../model/lock.ts'
import type { Report } from '../model/report.ts'
import type { Examination } from '../verify/judge-candidate.ts'
import { type ExamineOptions, examine } from '../verify/verify-file.ts'
import { refuseSameAgent } from './lock-add.ts'
import { type LockEntry, lockEntry } from './lock-agent.ts'
import { lockedBundle } from './lock-bundle.ts'
import {
  isSameEntry,
  type LockChanges,
  type LockConcern,
  type LockFlag,
  lockChanges,
  lockConcerns,
} from './lock-compare.ts'
import { changeLock, type LockPlace, tidyLock, type UsableLock, usableLock } from './lock-file.ts'
import { notLocked, targetsOf, type UpdateAsked } from './lock-targets.ts'

export interface UpdateFlags {
  readonly allowCapsChange: boolean
  readonly allowSignerChange: boolean
  readonly allowDowngrade: boolean
}

export interface UpdateCall extends UpdateAsked {
  readonly lock: LockPlace
  readonly flags: UpdateFlags
  readonly options: ExamineOptions
  readonly signal: AbortSignal
}

export interface UpdatedAgent {
  readonly agent: string
  readonly before: LockedAgent
  readonly after: LockedAgent
  readonly changes: LockChanges
}

export type UpdateOutcome =
  /** Nothing was written. */
  | { readonly is: 'not-trusted'; readonly reports: readonly Report[] }
  /** Nothing was written: these changes need a flag, or no flag allows them. */
  | {
      readonly is: 'refused'
      readonly updates: readonly UpdatedAgent[]
      readonly concerns: readonly LockConcern[]
    }
  | {
      readonly is: 'updated'
      readonly updates: readonly UpdatedAgent[]
      readonly unchanged: readonly string[]
    }

/** @throws RlpError NOT_FOUND for an agent that the lock has not; as `changeLock` */
export async function updateLock(call: UpdateCall): Promise<UpdateOutcome> {
  const { lock: place, signal } = call
  const source = await usableLock(place)
  const updates: UpdatedAgent[] = []
  const unchanged: string[] = []
  const entries: LockEntry[] = []
  const reports: Report[] = []
  const concerns: LockConcern[] = []
  for (const target of await targetsOf(call, source)) {
    const examined = await examine(
      target.path,
      { ...call.options, label: target.label, expect: target.expect, signal },
      'parsed',
    )
    const found = lockEntry(examined, target.source)
    if (found === undefined) {
      reports.push(examined.verification.report)
      continue
    }
    entries.push(found)
    const { agent, entry } = found
    const old = source.lock.agents.get(agent)
    if (old === undefined) throw notLocked(agent, place.label)
    const update = { agent, before: old, ...(await compared(call, source, { agent, old, entry }, examined)) }
    const isSame =
      isSameEntry(old, update.after) && old.source === update.after.source && old.oci === update.after.oci
    if (isSame) unchanged.push(agent)
    else updates.push(update)
    concerns.push(...lockConcerns(agent, old, update.after, update.changes, examined.trust))
  }
  if (reports.length > 0) return { is: 'not-trusted', reports }
  refuseSameAgent(entries)
  const against = concerns.filter(({ flag }) => !passes(call.flags)[flag])
  if (against.length > 0) return { is: 'refused', updates, concerns: against }
  await write(call, updates)
  return { is: 'updated', updates, unchanged }
}

function passes(flags: UpdateFlags): Readonly<Record<LockFlag, boolean>> {
  return {
    'caps-change': flags.allowCapsChange,
    'signer-change': flags.allowSignerChange,
    downgrade: flags.allowDowngrade,
    none: false,
  }
}

async function write({ lock: place, signal }: UpdateCall, updates: readonly UpdatedAgent[]): Promise<void> {
  if (updates.length === 0) return tidyLock(place, signal)
  await changeLock(
    place,
    ({ agents }) => {
      const now = new Map(agents)
      for (const { agent, before, after } of updates) {
        const there = now.get(agent)
        // What was compared is no longer what is there: the difference that was shown is another one.
        if (there === undefined || !isSameEntry(there, before)) throw changedMeanwhile(agent, place.label)
        now.set(agent, after)
      }
      return { agents: now }
    },
    signal,
  )
}

interface Compared {
  readonly agent: string
  readonly old: LockedAgent
  readonly entry: LockedAgent
}

/** The same bundle stays as it is locked, also if more signers count by now. */
async function compared(
  call: UpdateCall,
  source: UsableLock,
  { agent, old, entry }: Compared,
  { verification }: Examination,
): Promise<Pick<UpdatedAgent, 'after' | 'changes'>> {
  const after = verification.bundle?.agent
  if (after === undefined) throw new TypeError('a trusted bundle is there')
  const isSame = old.identity === entry.identity && old.signers.every(key => entry.signers.includes(key))
  const kept = isSame ? { ...entry, signers: old.signers } : entry
  const before =
    old.identity === entry.identity ? undefined : await lockedBundle(agent, old, source.folder, call)
  return { after: kept, changes: lockChanges(old, kept, before, after) }
}

function changedMeanwhile(agent: string, label: string): RlpError {
  return new RlpError('CHANGED_WHILE_READING', `Cannot write "${label}": ${agent} changed in it meanwhile`, {
    hint: 'Run the command again',
  })
}
