// A lock as it is given → what it says.
import type { LockSource } from '../model/lock.ts'
import { onDemand } from '../model/steps.ts'

const READING = onDemand(() => import('../trust/read-lock.ts'))

/** @param given a path, what was read already, or none */
export async function lockGiven(given: string | LockSource | undefined): Promise<LockSource | undefined> {
  return typeof given === 'string' ? (await READING.load()).readLockSource(given) : given
}
