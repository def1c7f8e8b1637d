// Locks as they are given → what they say, in their order.
import type { LockSource } from '../model/lock.ts'
import { onDemand } from '../model/steps.ts'

const READING = onDemand(() => import('../trust/read-lock.ts'))
const AGREEING = onDemand(() => import('../trust/agreeing-locks.ts'))

/** Locks that a bundle is held against: paths, or what was read already. */
export type LocksGiven = readonly (string | LockSource)[]

export async function locksGiven(given: LocksGiven = []): Promise<readonly LockSource[]> {
  const sources: LockSource[] = []
  for (const one of given)
    sources.push(typeof one === 'string' ? await (await READING.load()).readLockSource(one) : one)
  return sources
}

/**
 * Checks that several locks can be used together. One is always fit: if it cannot be relied upon, the verdict says so.
 * @param paths absolute
 * @returns the same paths
 * @throws UsageError for a file that is given twice, two locks of one name, and two that pin one agent differently
 */
export async function agreeing(paths: readonly string[]): Promise<readonly string[]> {
  if (paths.length < 2) return paths
  const sources = await locksGiven(paths)
  const { refuseDisagreeing } = await AGREEING.load()
  await refuseDisagreeing(sources.map((source, at) => ({ source, path: paths[at] ?? '' })))
  return paths
}
