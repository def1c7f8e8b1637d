// The answer of `rlp lock check`.
import type { Report } from '../model/report.ts'

export const LOCK_ANSWERS = ['same', 'changed', 'cannot tell'] as const
export type LockAnswer = (typeof LOCK_ANSWERS)[number]

/** One agent of the lock, and what is at its source now. */
export interface CheckedAgent {
  readonly agent: string
  readonly source: string
  readonly is: LockAnswer
  /** The changes, capabilities first; or the reason why they are not known. Empty for `same`. */
  readonly details: readonly string[]
  /** The line of the agent's table in the lock, 1-based. */
  readonly line: number
  /** Identities with `blake3:`. */
  readonly locked: { readonly version: string; readonly identity: string }
  /** The version and identity at the source; null if it could not be read. */
  readonly version: string | null
  readonly identity: string | null
  /** Today's verdict on it, which a lock does not change. */
  readonly verdict: Report['verdict']
}

export interface LockChecked {
  /** The lock, as the caller names it. */
  readonly lock: string
  /** Whether each agent is the same. */
  readonly passed: boolean
  readonly agents: readonly CheckedAgent[]
  /** The number of agents, and of those with each answer. */
  readonly summary: {
    readonly agents: number
    readonly same: number
    readonly changed: number
    readonly cannotTell: number
  }
}

export function lockChecked(lock: string, agents: readonly CheckedAgent[]): LockChecked {
  const count = (word: LockAnswer) => agents.filter(({ is }) => is === word).length
  const same = count('same')
  return {
    lock,
    passed: same === agents.length,
    agents,
    summary: {
      agents: agents.length,
      same,
      changed: count('changed'),
      cannotTell: count('cannot tell'),
    },
  }
}
