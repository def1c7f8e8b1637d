// Lists the agents that locks name, each once, and the lock that each one comes from.
import type { LockedAgent } from '../model/lock.ts'
import type { UsableLock } from './lock-file.ts'

/** An agent that locks name. */
export interface AgentInLocks {
  readonly agent: string
  readonly locked: LockedAgent
  /** The first lock that names it: its source counts from the folder of this one. */
  readonly source: UsableLock
  /** The name of a lock that names it; undefined if none of them has one. */
  readonly lockName: string | undefined
}

/** In the order of the locks. */
export function agentsInLocks(locks: readonly UsableLock[]): readonly AgentInLocks[] {
  const found = new Map<string, AgentInLocks>()
  for (const source of locks)
    for (const [agent, locked] of source.lock.agents) {
      const { name: lockName } = source.lock
      const before = found.get(agent)
      if (before === undefined) found.set(agent, { agent, locked, source, lockName })
      else if (before.lockName === undefined) found.set(agent, { ...before, lockName })
    }
  return [...found.values()]
}
