// One agent of a lock, from its source or from a bundle that takes its place → what is there now, compared with what is locked.
import type { LockedAgent } from '../model/lock.ts'
import type { Report } from '../model/report.ts'
import type { Examination } from '../verify/judge-candidate.ts'
import { examine } from '../verify/verify-file.ts'
import { type LockEntry, lockEntry } from './lock-agent.ts'
import { lockedBundle, type Places } from './lock-bundle.ts'
import { isSameEntry, type LockChanges, type LockConcern, lockChanges, lockConcerns } from './lock-compare.ts'
import type { UsableLock } from './lock-file.ts'
import { notLocked, type UpdateTarget } from './lock-targets.ts'

export interface UpdatedAgent {
  readonly agent: string
  readonly before: LockedAgent
  readonly after: LockedAgent
  readonly changes: LockChanges
}

/** What is there now in the place of one agent, and what about it needs a yes. */
export interface FoundAgent {
  readonly entry: LockEntry
  readonly update: UpdatedAgent
  readonly isSame: boolean
  readonly concerns: readonly LockConcern[]
}

/** Its report where it may not be locked. */
export async function lookedAt(
  { path, label, expect, source: named }: UpdateTarget,
  source: UsableLock,
  places: Places,
): Promise<{ readonly report?: Report; readonly found?: FoundAgent }> {
  const { options, signal } = places
  const examined = await examine(path, { ...options, label, expect, signal }, 'parsed')
  const entry = lockEntry(examined, named)
  if (entry === undefined) return { report: examined.verification.report }
  const { agent } = entry
  const old = source.lock.agents.get(agent)
  if (old === undefined) throw notLocked(agent, source.label)
  const comparing = { agent, old, entry: entry.entry }
  const update = { agent, before: old, ...(await compared(places, source, comparing, examined)) }
  const { after, changes } = update
  const isSame = isSameEntry(old, after) && old.source === after.source && old.oci === after.oci
  return {
    found: { entry, update, isSame, concerns: lockConcerns(agent, old, after, changes, examined.trust) },
  }
}

interface Compared {
  readonly agent: string
  readonly old: LockedAgent
  readonly entry: LockedAgent
}

/** The same bundle stays as it is locked, also if more signers count by now. */
async function compared(
  places: Places,
  source: UsableLock,
  { agent, old, entry }: Compared,
  { verification }: Examination,
): Promise<Pick<UpdatedAgent, 'after' | 'changes'>> {
  const after = verification.bundle?.agent
  if (after === undefined) throw new TypeError('a trusted bundle is there')
  const isSame = old.identity === entry.identity && old.signers.every(key => entry.signers.includes(key))
  const kept = isSame ? { ...entry, signers: old.signers } : entry
  const before =
    old.identity === entry.identity ? undefined : await lockedBundle(agent, old, source.folder, places)
  return { after: kept, changes: lockChanges(old, kept, before, after) }
}
