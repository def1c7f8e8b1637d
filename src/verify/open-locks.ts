// Reads the locks that a command is given, as paths or as values, in their order.
import type { LockSource } from '../model/lock.ts'

/** Locks that a bundle is held against: absolute paths, or what was read already. */
export type LockInputs = readonly (string | LockSource)[]

/**
 * Reads the locks, before anything that they are about. A single one is always fit: if it cannot be relied upon, the verdict says so.
 * @throws UsageError for a file that is given twice, two locks of one name, and two that pin one agent differently
 */
export async function openLocks(given: LockInputs = []): Promise<readonly LockSource[]> {
  const sources: LockSource[] = []
  for (const one of given)
    sources.push(
      typeof one === 'string' ? await (await import('../trust/read-lock.ts')).readLockSource(one) : one,
    )
  const paths = given.map(one => (typeof one === 'string' ? one : undefined))
  // What was read already was compared when it was read.
  if (sources.length > 1 && paths.some(path => path !== undefined)) {
    const { refuseDisagreeing } = await import('../trust/read-lock.ts')
    await refuseDisagreeing(sources.map((source, at) => ({ source, path: paths[at] })))
  }
  return sources
}

/** The same paths, for a command that reads the locks later. @throws UsageError as {@link openLocks} */
export async function agreeingLocks(paths: readonly string[]): Promise<readonly string[]> {
  if (paths.length > 1) await openLocks(paths)
  return paths
}
