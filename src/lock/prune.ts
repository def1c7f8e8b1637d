// Keeps a root equal to its locks: removes what locks have put there and do not name any more. An agent belongs to the lock that installed it last, by the
// lock's name; what a person has installed, also over it, belongs to no lock. It comes last, and only after all that the locks name is there.
import { standingOf } from '../install/read-installed.ts'
import { uninstall } from '../install/uninstall.ts'
import { runloopHome } from '../io/home.ts'
import { agentsIn } from '../io/root/install-root.ts'
import type { Root } from '../io/root/root-places.ts'
import { beforeChange } from '../io/state/lock-changes.ts'
import { readState } from '../io/state/state.ts'
import { isObstacle, type RlpError } from '../model/error.ts'
import { ownMembers } from '../model/own.ts'
import type { AgentState, Install } from '../model/state.ts'
import type { Before, PruneCall, PrunePlan, PutByLock, Unnamed } from './prune-call.ts'
import { isNamed } from './prune-refusals.ts'

export interface PruneOutcome {
  readonly removed: readonly PutByLock[]
  /** Those that could not be removed. */
  readonly failed: readonly { readonly agent: string; readonly error: RlpError }[]
}

/** Called before anything is installed: what a new lock installs does not count as what the lock before it had installed. */
export async function beforeInstall({
  locks,
  root,
  home = runloopHome(),
  dryRun,
  signal,
}: PruneCall): Promise<Before> {
  const before = new Map<string, readonly string[]>()
  let all: Promise<readonly PutByLock[]> | undefined
  for (const { lock, digest } of locks) {
    const { name } = lock
    if (name === undefined || digest === undefined) continue
    const putNow = async () => {
      all ??= putHere(root, home)
      return (await all).flatMap(one => (one.lock === name ? one.agent : []))
    }
    const seen = { name, digest, root: root.path }
    before.set(name, await beforeChange(seen, putNow, home, { isKept: !dryRun, signal }))
  }
  return before
}

/** Called after everything that the locks name is there. */
export async function planPrune({ locks, root, home = runloopHome() }: PruneCall): Promise<PrunePlan> {
  const names = new Set(locks.map(({ lock }) => lock.name))
  const unnamed: Unnamed[] = []
  const kept: PutByLock[] = []
  for (const one of await putHere(root, home)) {
    if (!names.has(one.lock) || isNamed(one.agent, locks)) continue
    const { file } = await standingOf(root, await readState(one.agent, home), false)
    if (file.is === 'bundle' && file.fileDigest === one.fileDigest) unnamed.push(one)
    else kept.push(one)
  }
  return { unnamed, kept }
}

/** Removes each of them, unless it was installed again meanwhile. One that cannot be removed hides no other. */
export async function prune(
  { unnamed }: PrunePlan,
  { root, home = runloopHome(), dryRun, signal }: PruneCall,
): Promise<PruneOutcome> {
  const removed: PutByLock[] = []
  const failed: { agent: string; error: RlpError }[] = []
  for (const { agent, version, lock, fileDigest } of unnamed) {
    const mayRemove = (state: AgentState) => {
      const record = recordIn(state, root)
      return record?.lock === lock && record.fileDigest === fileDigest
    }
    try {
      if (!dryRun) await uninstall(agent, { root, home, signal, mayRemove })
      removed.push({ agent, version, lock })
    } catch (error) {
      if (!isObstacle(error)) throw error
      failed.push({ agent, error })
    }
  }
  return { removed, failed }
}

async function putHere(root: Root, home: string): Promise<readonly Unnamed[]> {
  const put: Unnamed[] = []
  for (const agent of await agentsIn(root)) {
    const record = recordIn(await readState(agent, home), root)
    if (record === undefined) continue
    const { version, lock, fileDigest } = record
    if (lock === undefined) continue
    put.push({ agent, version, lock, fileDigest })
  }
  return put
}

/** One that was only announced does not count. */
function recordIn(state: AgentState, root: Root): Install | undefined {
  const record = state.installs.find(install => install.root === root.path)
  return record && ownMembers(record)
}
