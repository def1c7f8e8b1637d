// What --prune removes, after a person or --yes has agreed to it.
import type { Io } from '../cli/command.ts'
import type { Failed } from '../cli/each.ts'
import { askForYes, mayAsk, type OpenPrompter } from '../cli/interactive.ts'
import type { InstallArgs } from '../install/options.ts'
import type { Root } from '../io/root/root-places.ts'
import { RlpError } from '../model/error.ts'
import { plural } from '../text/words.ts'
import { planPrune, prune } from './prune.ts'
import type { Before, PruneCall, PrunePlan, PutByLock } from './prune-call.ts'
import { refuseMost } from './prune-refusals.ts'

export interface Pruned {
  /** With --dry-run those that would be removed. */
  readonly removed: readonly PutByLock[]
  /** No lock names them, and their file is another one by now: they stay. */
  readonly kept: readonly PutByLock[]
  readonly failed: readonly Failed[]
  /** Whether nothing is removed because an agent that the locks name is not there, or not trusted. */
  readonly isWaiting: boolean
}

export interface PrunedCall extends PruneCall {
  readonly before: Before
  /** Whether each agent that the locks name is there, and trusted. */
  readonly isAllThere: boolean
  readonly allowPruneAll: boolean
}

/** @param agree throws unless a person agrees */
export async function pruned(
  { before, isAllThere, allowPruneAll, ...call }: PrunedCall,
  agree: (plan: PrunePlan) => Promise<void>,
): Promise<Pruned> {
  const nothing = { removed: [], kept: [], failed: [], isWaiting: false }
  if (!isAllThere) return { ...nothing, isWaiting: true }
  try {
    const plan = await planPrune(call)
    const { unnamed, kept } = plan
    if (unnamed.length === 0) return { ...nothing, kept }
    if (!allowPruneAll) refuseMost(plan, before, call)
    if (!call.dryRun) await agree(plan)
    const { removed, failed } = await prune(plan, call)
    return {
      ...nothing,
      removed,
      kept,
      failed: failed.map(({ agent, error }) => ({ target: agent, error })),
    }
  } catch (error) {
    // What was installed is told all the same.
    if (!(error instanceof RlpError) || call.signal.aborted) throw error
    return { ...nothing, failed: [{ target: call.root.label, error }] }
  }
}

/** @throws RlpError NEEDS_ANSWER if no person can be asked, CANCELLED for a no */
export async function askToPrune(
  { unnamed }: PrunePlan,
  root: Root,
  { yes, json }: InstallArgs,
  io: Io,
  open: OpenPrompter,
): Promise<void> {
  if (yes) return
  const doing = `prune "${root.label}"`
  if (!mayAsk(io, { json, nonInteractive: false }))
    throw new RlpError(
      'NEEDS_ANSWER',
      `Cannot ${doing}: ${plural(unnamed.length, 'agent')} would be removed, and no person can be asked`,
      { hint: 'See with --dry-run which they are, and add --yes' },
    )
  const prompter = await open(doing, io)
  const lines = unnamed.map(
    ({ agent, version, lock }) => `${agent} ${version}, which the lock ${lock} has installed`,
  )
  prompter.note(lines.join('\n'), 'No lock names any more')
  await askForYes(prompter, `Remove ${plural(unnamed.length, 'agent')} from ${root.label}?`, {
    doing,
    otherwise: 'nothing was removed',
  })
}
