// Removes agents from a lock.
import { RlpError } from '../model/error.ts'
import type { Lock } from '../model/lock.ts'
import { changeLock, type LockPlace, usableLock, wouldChangeLock } from './lock-file.ts'

export interface LockRemoved {
  /** The lock, as the caller names it. */
  readonly lock: string
  /** Whether the lock names fewer agents than before; with `dryRun`, whether it would. */
  readonly changed: boolean
  /** The names of the agents, each once, sorted. */
  readonly agents: readonly string[]
}

/**
 * All of them, or none.
 * @throws RlpError NOT_FOUND for a missing lock, or an agent that it has not; as {@link changeLock}
 */
export async function removeLocked(
  agents: readonly string[],
  place: LockPlace,
  { signal, dryRun }: { readonly signal: AbortSignal; readonly dryRun: boolean },
): Promise<LockRemoved> {
  const names = [...new Set(agents)].sort()
  await usableLock(place)
  const change = (lock: Lock): Lock => {
    const unknown = names.find(agent => !lock.agents.has(agent))
    if (unknown !== undefined)
      throw new RlpError('NOT_FOUND', `Cannot remove ${unknown}: ${place.label} has no such agent`, {
        hint: 'rlp lock list shows the agents of the lock',
      })
    return { ...lock, agents: new Map([...lock.agents].filter(([agent]) => !names.includes(agent))) }
  }
  const changed = await (dryRun ? wouldChangeLock(place, change) : changeLock(place, change, signal))
  return { lock: place.label, changed, agents: names }
}
