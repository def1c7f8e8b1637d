// One agent of a lock, from its source or from a bundle that takes its place → what is there now, compared with what is locked.

import { findInstalled } from '../io/root/find-installed.ts'
import type { Root } from '../io/root/root-places.ts'
import { isSameEntry } from '../lock-file/same-entry.ts'
import type { Agent } from '../model/agent.ts'
import type { LockedAgent } from '../model/lock.ts'
import type { Report } from '../model/report.ts'
import { statedEnd } from '../sign/sign.ts'
import { examine, type Judging } from '../verify/examine.ts'
import type { Examination } from '../verify/judge-candidate.ts'
import { bundleIdentity, readReference } from '../version/reference.ts'
import { type LockEntry, lockEntry, type PinnedAgent, pinnedAgent } from './lock-agent.ts'
import {
  isSameSource,
  type LockChanges,
  type LockConcern,
  lockChanges,
  lockConcerns,
} from './lock-compare.ts'
import type { UsableLock } from './lock-file.ts'
import { signatureChanges } from './lock-signers.ts'
import { pinnedTarget, targetOf } from './lock-source.ts'
import { notLocked, type UpdateTarget } from './lock-targets.ts'

export interface UpdatedAgent {
  readonly agent: string
  readonly before: LockedAgent
  readonly after: LockedAgent
  readonly changes: LockChanges
}

/** One agent of a lock, as it was and as it is to be. */
export interface LockUpdate extends LockChanges {
  readonly before: PinnedAgent
  readonly after: PinnedAgent
}

export function updateOf({ agent, before, after, changes }: UpdatedAgent): LockUpdate {
  return {
    before: pinnedAgent({ agent, entry: before }),
    after: pinnedAgent({ agent, entry: after }),
    ...changes,
  }
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
  { path, label, expect, from }: UpdateTarget,
  source: UsableLock,
  places: Places,
): Promise<{ readonly report?: Report; readonly found?: FoundAgent }> {
  const examined = await examine(path, { ...places.judging, label, expect }, 'parsed')
  const entry = lockEntry(examined, from)
  if (entry === undefined) return { report: examined.verification.report }
  const { agent } = entry
  const old = source.lock.agents.get(agent)
  if (old === undefined) throw notLocked(agent, source.label)
  const comparing = { agent, old, entry: entry.entry }
  const update = { agent, before: old, ...(await compared(places, source, comparing, examined)) }
  const { after, changes } = update
  const isSame = isSameEntry(old, after) && isSameSource(old, after)
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
  { verification, trust }: Examination,
): Promise<Pick<UpdatedAgent, 'after' | 'changes'>> {
  const after = verification.bundle?.agent
  if (after === undefined) throw new TypeError('a trusted bundle is there')
  const isSame = old.identity === entry.identity && old.signers.every(key => entry.signers.includes(key))
  const kept = isSame ? { ...entry, signers: old.signers } : entry
  const isUnchanged = isSameEntry(old, kept) && isSameSource(old, kept)
  const before = isUnchanged ? undefined : await lockedBundle(agent, old, source.folder, places)
  const signatures = signatureChanges({
    before: old,
    after: kept,
    policies: trust.policies,
    endedBefore: before && statedEnd(before),
    endsAfter: verification.notAfter,
  })
  const content = lockChanges(old, kept, old.identity === entry.identity ? undefined : before, after)
  return { after: kept, changes: { ...content, signatures } }
}

/**
 * An entry of a lock → the bundle that it pins, for a comparison: where it was locked from, by its digest, or installed.
 */
interface Places {
  readonly judging: Judging
  readonly roots: readonly Root[]
}

/** Undefined if it is gone. */
async function lockedBundle(
  agent: string,
  { source, oci, identity }: LockedAgent,
  folder: string,
  { judging, roots }: Places,
): Promise<Agent | undefined> {
  const places = [pinnedTarget(await targetOf(source, folder, roots), oci)]
  const reference = readReference(agent)
  const installed = reference && (await findInstalled(reference, roots))
  if (installed !== undefined) places.push(installed)
  for (const { path, label } of places) {
    const { verification } = await examine(
      path,
      { ...judging, label, expect: bundleIdentity(identity), look: true },
      'parsed',
    )
    const { report, agent: found } = verification
    // It was trusted when it was locked: today's verdict on it does not matter, its identity and its soundness do.
    const isLocked = report.identity === bundleIdentity(identity) && report.verdict !== 'invalid'
    if (isLocked && found?.policy !== undefined && found.tools !== undefined) return found
  }
  return undefined
}
