// Lists what a lock pins. No bundle is read.
import { type PinnedAgent, pinnedAgent } from './lock-agent.ts'
import { type LockPlace, usableLock } from './lock-file.ts'

export interface LockListed {
  /** The lock, as the caller names it. */
  readonly lock: string
  /** The name of the lock; null if it has none. */
  readonly name: string | null
  /** BLAKE3 of the file, in hex. */
  readonly digest: string | null
  readonly agents: readonly PinnedAgent[]
}

/** @throws RlpError as {@link usableLock} */
export async function listLocked(place: LockPlace): Promise<LockListed> {
  const { lock, digest = null, label } = await usableLock(place)
  const agents = [...lock.agents].map(([agent, entry]) => pinnedAgent({ agent, entry }))
  return { lock: label, name: lock.name ?? null, digest, agents }
}
