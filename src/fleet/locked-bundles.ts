// Locks as a list of bundles: each agent that they name, where the lock says that it is. What a lock pins in a registry is read by its
// digest, whatever the tag leads to now.
import { readReference } from '../agent/agent-name.ts'
import { nearLabel } from '../io/home.ts'
import { nearReference } from '../io/layout-folder.ts'
import { rootsFor } from '../io/root/roots.ts'
import type { Setting } from '../io/setting.ts'
import { agentsInLocks } from '../lock/agents-in-locks.ts'
import { type LockPlace, usableLock } from '../lock/lock-file.ts'
import { pinnedTarget, targetOf } from '../lock/locked-source.ts'
import { RlpError } from '../model/error.ts'
import { isOciReference } from '../oci/scheme.ts'
import type { NamedBundle } from './sources.ts'

/**
 * @param root where installed agents are looked for
 * @throws RlpError NOT_FOUND for a lock that is missing, or if none of them names an agent; LOCK_UNUSABLE with the line
 */
export async function* lockedBundles(
  places: readonly LockPlace[],
  root: string | undefined,
  { cwd }: Pick<Setting, 'cwd'>,
): AsyncGenerator<NamedBundle> {
  const locks = await Promise.all(places.map(usableLock))
  const roots = await rootsFor(root, cwd)
  const agents = agentsInLocks(locks)
  if (agents.length === 0)
    throw new RlpError(
      'NOT_FOUND',
      `Cannot verify what is locked: no agent is in ${places.map(({ label }) => label).join(', ')}`,
      { hint: 'rlp lock add BUNDLE adds one' },
    )
  for (const { agent, locked, source } of agents) {
    const target = pinnedTarget(await targetOf(locked.source, source.folder, roots), locked.oci)
    const { path } = target
    const near = isOciReference(path) ? nearReference(path, cwd) : nearLabel(path, cwd)
    // The name of an agent that is not installed is no path.
    const label = readReference(locked.source) === undefined ? near : target.label
    yield { path, label, listed: label, reference: agent }
  }
}
