// Installs all agents that locks name. With `prune` the agents that no lock names any more are removed at last, and only if every named agent
// is there.
import { isChangedInstall } from '../install/outcome.ts'
import { RlpError } from '../model/error.ts'
import { LOCK_FILE } from '../model/lock.ts'
import { installLocked, type LockedCall, type LockedOutcome } from './install-locked.ts'
import { type UsableLock, usableLock } from './lock-file.ts'
import {
  type Before,
  beforeInstall,
  type PruneCall,
  type PrunePlan,
  type PutByLock,
  planPrune,
  prune,
  refuseMost,
  refuseUnprunable,
} from './prune.ts'

export interface HeldLocks {
  /** Absolute. */
  readonly paths: readonly string[]
  /** What the caller calls them; none for one that `--locked` only finds. */
  readonly labels: readonly string[]
  /** Whether they are the consent to what they pin. */
  readonly consents: boolean
}

interface WholeCall extends Omit<LockedCall, 'locks'> {
  readonly locks: HeldLocks
  readonly prune: boolean
  readonly allowPruneAll: boolean
  /** Throws unless a person agrees. */
  mayPrune(plan: PrunePlan): Promise<void>
}

/** What became of all that locks name. */
export interface WholeOutcome {
  readonly locks: readonly UsableLock[]
  readonly outcomes: readonly LockedOutcome[]
  /** Undefined unless it was asked for. */
  readonly pruned: Pruned | undefined
  readonly changed: boolean
}

export interface Pruned {
  /** With --dry-run those that would be removed. */
  readonly removed: readonly PutByLock[]
  /** No lock names them, and their file is another one by now: they stay. */
  readonly kept: readonly PutByLock[]
  readonly failed: readonly { readonly target: string; readonly error: RlpError }[]
  /** Whether nothing is removed because an agent that the locks name is not there, or not trusted. */
  readonly isWaiting: boolean
}

/** @throws UsageError for locks that `prune` cannot be used with; RlpError LOCK_UNUSABLE, CANCELLED */
export async function installAll({ locks: held, ...call }: WholeCall): Promise<WholeOutcome> {
  const { labels } = held
  const locks = await Promise.all(
    held.paths.map((path, at) => usableLock({ path, label: labels[at] ?? LOCK_FILE })),
  )
  if (call.prune) refuseUnprunable(locks, labels.length > 0)
  const { root, home, dryRun, judging } = call
  const pruning = { locks, root, home, dryRun, signal: judging.signal }
  const before = await beforeInstall(pruning)
  const outcomes = await installLocked({ ...call, locks })
  const isWaiting = !outcomes.every(isTrusted)
  const pruned = call.prune ? await pruneAfter({ ...call, ...pruning, before, isWaiting }) : undefined
  const isPut = outcomes.some(one => !('error' in one) && isChangedInstall(one.outcome))
  return { locks, outcomes, pruned, changed: isPut || (pruned?.removed.length ?? 0) > 0 }
}

function isTrusted(one: LockedOutcome): boolean {
  if ('error' in one) return false
  const { outcome } = one
  return outcome.is === 'decided' && outcome.decision.is !== 'refused' && outcome.report.verdict === 'trusted'
}

type PruneAfter = PruneCall &
  Pick<WholeCall, 'allowPruneAll' | 'mayPrune'> &
  Pick<Pruned, 'isWaiting'> & { readonly before: Before }

async function pruneAfter({ isWaiting, ...call }: PruneAfter): Promise<Pruned> {
  const nothing = { removed: [], kept: [], failed: [], isWaiting }
  if (isWaiting) return nothing
  try {
    const plan = await planPrune(call)
    const { unnamed, kept } = plan
    if (unnamed.length === 0) return { ...nothing, kept }
    if (!call.allowPruneAll) refuseMost(plan, call.before, call)
    if (!call.dryRun) await call.mayPrune(plan)
    return { ...nothing, kept, ...(await prune(plan, call)) }
  } catch (error) {
    // What was installed is told all the same.
    if (!(error instanceof RlpError) || call.signal.aborted) throw error
    return { ...nothing, failed: [{ target: call.root.label, error }] }
  }
}
