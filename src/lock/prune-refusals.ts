// What keeps --prune from removing: locks that cannot say what they have installed, and a lock that is probably the wrong one.
import { RlpError, UsageError } from '../model/error.ts'
import type { UsableLock } from './lock-file.ts'
import type { Before, PruneCall, PrunePlan } from './prune-call.ts'

/** @throws UsageError unless each lock was named on the command line and has a name of its own */
export function refuseUnprunable(locks: readonly UsableLock[], isNamed: boolean): void {
  if (!isNamed)
    throw new UsageError(
      'Cannot use --prune with a lock that is only found here: it removes what that lock does not name',
      {
        field: 'prune',
        hint: 'Name each lock of this host with --lock',
      },
    )
  const nameless = locks.find(({ lock }) => lock.name === undefined)
  if (nameless !== undefined)
    throw new UsageError(
      `Cannot use --prune with ${nameless.label}: it has no name, so that nothing tells what it has installed`,
      { field: 'prune', hint: 'Give it one where it is kept: rlp lock add --name NAME' },
    )
}

/**
 * A lock that names little of what it has installed is probably the wrong one.
 * @throws RlpError NEEDS_ANSWER if all, or more than half, of what a lock had put here would go. One of one and one of two are all
 */
export function refuseMost({ unnamed }: PrunePlan, before: Before, { locks, root }: PruneCall): void {
  for (const [name, agents] of before) {
    const going = unnamed.flatMap(({ agent, lock }) => (lock === name ? agent : []))
    if (going.length === 0) continue
    const all = new Set([...agents, ...going])
    const gone = [...all].filter(agent => !isNamed(agent, locks)).length
    if (all.size > 2 && gone * 2 <= all.size) continue
    throw new RlpError(
      'NEEDS_ANSWER',
      `Cannot prune "${root.label}": the lock ${name} does not name ${gone} of the ${all.size} agents that it has installed there`,
      { hint: 'See whether it is the right lock. If it is, --allow-prune-all removes them' },
    )
  }
}

export function isNamed(agent: string, locks: readonly UsableLock[]): boolean {
  return locks.some(({ lock }) => lock.agents.has(agent))
}
