// Agents of a lock → the lock without them.
import { RlpError } from '../model/error.ts'
import type { Lock } from '../model/lock.ts'
import { changeLock, type LockPlace, usableLock, wouldChangeLock } from './lock-file.ts'

/**
 * All of them, or none.
 * @returns their names, each once, sorted
 * @throws RlpError NOT_FOUND for a missing lock, or an agent that it has not; as {@link changeLock}
 */
export async function removeLocked(
  agents: readonly string[],
  place: LockPlace,
  { signal, dryRun }: { readonly signal: AbortSignal; readonly dryRun: boolean },
): Promise<readonly string[]> {
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
  await (dryRun ? wouldChangeLock(place, change) : changeLock(place, change, signal))
  return names
}
