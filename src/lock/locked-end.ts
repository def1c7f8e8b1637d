// When the signatures of a locked bundle end. What the lock pins is read, whatever its tag leads to now; whether it is trusted is not asked.

import { readBundle } from '../io/bundle/read-bundle.ts'
import type { Root } from '../io/root/root-places.ts'
import type { Reach } from '../io/wait/reach.ts'
import { MANIFEST_FILE, SIGNATURE_FILE } from '../model/agent.ts'
import { isObstacle } from '../model/error.ts'
import type { LockedAgent } from '../model/lock.ts'
import { isOciReference } from '../oci/scheme.ts'
import { storedEnd } from '../registry/stored-end.ts'
import { endSignedIn, type StatedEnd } from '../signature/stated-end.ts'
import { AHEAD_DAYS, leftUntil } from '../verify/ends-soon.ts'
import type { UsableLock } from './lock-file.ts'
import { pinnedTarget, targetOf } from './lock-source.ts'

export interface LockedEnd {
  /** When the signatures of the locked bundle end, a UTC second; null if they do not, or if it cannot be told. */
  readonly ends: string | null
  /** Whether that is within 30 days, or past. */
  readonly endsSoon: boolean
  /** Why it cannot be told when they end; null if it can. */
  readonly untold: string | null
}

export interface LookingAhead extends Reach {
  readonly lock: UsableLock
  /** Where installed agents are that the lock calls by name. */
  readonly roots: readonly Root[]
  readonly now: Date
}

const NO_KEY = 'No signature by a key is in the bundle that is locked'

/** @throws RlpError CANCELLED alone */
export async function endOfLocked(locked: LockedAgent, call: LookingAhead): Promise<LockedEnd> {
  const untold = (why: string): LockedEnd => ({ ends: null, endsSoon: false, untold: why })
  try {
    const found = await endAt(locked, call)
    if (found === undefined) return untold(NO_KEY)
    const { notAfter: ends = null } = found
    const isPast = ends !== null && Date.parse(ends) < call.now.getTime()
    const endsSoon = ends !== null && (isPast || leftUntil(ends, call.now, AHEAD_DAYS) !== undefined)
    return { ends, endsSoon, untold: null }
  } catch (error) {
    if (!isObstacle(error)) throw error
    return untold(error.message)
  }
}

async function endAt(
  { source, oci, identity }: LockedAgent,
  looking: LookingAhead,
): Promise<StatedEnd | undefined> {
  const { lock, roots, signal } = looking
  const { path, label } = pinnedTarget(await targetOf(source, lock.folder, roots), oci)
  if (isOciReference(path)) return storedEnd(path, looking, { label, identity })
  const { files, refusal } = await readBundle(path, { keep: 'parsed', label, signal })
  if (refusal?.error !== undefined) throw refusal.error
  const [manifest, envelope] = [MANIFEST_FILE, SIGNATURE_FILE].map(name => files.get(name)?.bytes)
  return manifest && envelope && endSignedIn(manifest, envelope, identity)
}
