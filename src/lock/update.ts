// Updates agents of a lock, from their sources or from bundles that replace them. A bundle that may do more, that is older, or that lacks a
// signer is refused unless a flag allows it. If one is refused, the lock stays as it was.
import { eachInLanes, farServer } from '../fleet/lanes.ts'
import type { Target } from '../io/find/search-folders.ts'
import { findInstalled } from '../io/root/find-installed.ts'
import type { Root } from '../io/root/root-places.ts'
import { isSameEntry } from '../lock-file/write.ts'
import type { Agent } from '../model/agent.ts'
import { RlpError } from '../model/error.ts'
import type { LockedAgent } from '../model/lock.ts'
import type { Report } from '../model/report.ts'
import { statedEnd } from '../sign/sign.ts'
import { examine, type JobJudging, type Judging } from '../verify/examine.ts'
import type { Examination } from '../verify/judge-candidate.ts'
import { bundleIdentity, readReference } from '../version/reference.ts'
import { NotLockedError, refuseSameAgent } from './add.ts'
import {
  isSameSource,
  type LockChanges,
  type LockConcern,
  type LockFlag,
  lockChanges,
  lockConcerns,
  signatureChanges,
} from './compare-entries.ts'
import { changeLock, type LockPlace, tidyLock, type UsableLock, usableLock } from './lock-file.ts'
import { type LockEntry, lockEntry, type PinnedAgent, pinnedAgent } from './locked-entry.ts'
import { type LockedFrom, lockedFrom, pinnedTarget, sourceOf, targetOf } from './locked-source.ts'

interface UpdateFlags {
  readonly allowCapsChange: boolean
  readonly allowSignerChange: boolean
  readonly allowDowngrade: boolean
}

interface UpdateCall extends UpdateAsked {
  readonly lock: LockPlace
  readonly flags: UpdateFlags
  readonly judging: JobJudging
  /** Look and compare, and write nothing. */
  readonly dryRun: boolean
}

/** Sound and trusted bundles that may not take the place of what is locked, and why. Nothing was written. */
export class LockRefusedError extends RlpError {
  override readonly name = 'LockRefusedError'
  readonly concerns: readonly LockConcern[]
  readonly updates: readonly LockUpdate[]

  constructor(concerns: readonly LockConcern[], updates: readonly LockUpdate[]) {
    const [first] = concerns
    super('NOT_VERIFIED', `Cannot update the lock: ${first?.message ?? ''}`, {
      ...(first !== undefined && { hint: first.hint }),
    })
    this.concerns = concerns
    this.updates = updates
  }
}

export interface LockUpdated {
  /** The lock, as the caller names it. */
  readonly lock: string
  /** Whether the lock pins something else now; with `dryRun`, whether it would. */
  readonly changed: boolean
  readonly updates: readonly LockUpdate[]
  /** The names of the agents that stay as they are locked. */
  readonly unchanged: readonly string[]
}

/** @throws NotLockedError, LockRefusedError; RlpError NOT_FOUND for an agent that the lock has not; as `changeLock` */
export async function updateLock(call: UpdateCall): Promise<LockUpdated> {
  const { lock: place, judging } = call
  const source = await usableLock(place)
  const lanes = { server: ({ path }: UpdateTarget) => farServer(path), signal: judging.signal }
  const looked = await eachInLanes(await targetsOf(call, source), lanes, (target, until) =>
    lookedAt(target, source, { ...call, judging: { ...judging, signal: until } }),
  )
  const reports = looked.flatMap(one => one.report ?? [])
  if (reports.length > 0) throw new NotLockedError(reports)
  const found = looked.flatMap(one => one.found ?? [])
  refuseSameAgent(found.map(({ entry }) => entry))
  const taken = found.flatMap(({ update, isSame }) => (isSame ? [] : update))
  const updates = taken.map(updateOf)
  const unchanged = found.flatMap(({ update, isSame }) => (isSame ? update.agent : []))
  const against = found.flatMap(one => one.concerns).filter(({ flag }) => !passes(call.flags)[flag])
  if (against.length > 0) throw new LockRefusedError(against, updates)
  if (!call.dryRun) await writeUpdates(call, taken)
  return { lock: place.label, changed: updates.length > 0, updates, unchanged }
}

function passes(flags: UpdateFlags): Readonly<Record<LockFlag, boolean>> {
  return {
    'caps-change': flags.allowCapsChange,
    'signer-change': flags.allowSignerChange,
    downgrade: flags.allowDowngrade,
    none: false,
  }
}

async function writeUpdates(
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

interface UpdatedAgent {
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

function updateOf({ agent, before, after, changes }: UpdatedAgent): LockUpdate {
  return {
    before: pinnedAgent({ agent, entry: before }),
    after: pinnedAgent({ agent, entry: after }),
    ...changes,
  }
}

/** What is there now in the place of one agent, and what about it needs a yes. */
interface FoundAgent {
  readonly entry: LockEntry
  readonly update: UpdatedAgent
  readonly isSame: boolean
  readonly concerns: readonly LockConcern[]
}

/** Its report where it may not be locked. */
async function lookedAt(
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

interface UpdateAsked {
  /** Names of agents in the lock, each from its own source. Every one where this and `bundles` are empty. */
  readonly agents: readonly string[]
  /** Bundles that take the place of agents in the lock. */
  readonly bundles: readonly Target[]
  /** Which agent the one bundle has to be; of a repository the newest version is taken that it accepts. */
  readonly expect?: string | undefined
  readonly roots: readonly Root[]
}

interface UpdateTarget extends Target {
  /** As the lock names it. */
  readonly from: LockedFrom
  readonly expect: string | undefined
}

async function targetsOf(
  { agents, bundles, expect, roots }: UpdateAsked,
  { lock, folder, label }: UsableLock,
): Promise<UpdateTarget[]> {
  const names = agents.length === 0 && bundles.length === 0 ? [...lock.agents.keys()] : agents
  const own = names.map(async agent => {
    const locked = lock.agents.get(agent)
    if (locked === undefined) throw notLocked(agent, label)
    const target = await targetOf(locked.source, folder, roots)
    const range = expect ?? locked.expect
    return { ...target, from: lockedFrom(locked.source, range), expect: range ?? agent }
  })
  const given = bundles.map(target => ({
    ...target,
    from: sourceOf(target, folder, expect),
    expect: expect ?? target.reference,
  }))
  return [...(await Promise.all(own)), ...given]
}

export function notLocked(agent: string, label: string): RlpError {
  return new RlpError('NOT_FOUND', `Cannot update ${agent}: ${label} has no such agent`, {
    hint: 'rlp lock add BUNDLE takes a new agent in; rlp lock list shows those that are there',
  })
}
