// Removes the agents that locks have installed into a root and no longer name. An agent belongs to the lock that installed it last, by the
// name of that lock. What a person has installed, also over it, belongs to no lock and stays. A lock without a name, or one that names
// little of what it has installed, is refused: it is probably the wrong one.
import { diskStateOf } from '../install/read-installed.ts'
import { uninstallAgent } from '../install/uninstall.ts'
import { agentsIn } from '../io/root/install-root.ts'
import type { Root } from '../io/root/root-places.ts'
import { beforeChange } from '../io/state/lock-changes.ts'
import { readState } from '../io/state/state.ts'
import { isObstacle, RlpError, UsageError } from '../model/error.ts'
import { ownMembers } from '../model/own.ts'
import type { AgentState, Install } from '../model/state.ts'
import type { UsableLock } from './lock-file.ts'

interface PruneOutcome {
  readonly removed: readonly PutByLock[]
  /** Those that could not be removed. */
  readonly failed: readonly { readonly target: string; readonly error: RlpError }[]
}

/** Called before anything is installed: what a new lock installs does not count as what the lock before it had installed. */
export async function beforeInstall({ locks, root, home, dryRun, signal }: PruneCall): Promise<Before> {
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
export async function planPrune({ locks, root, home }: PruneCall): Promise<PrunePlan> {
  const names = new Set(locks.map(({ lock }) => lock.name))
  const unnamed: Unnamed[] = []
  const kept: PutByLock[] = []
  for (const one of await putHere(root, home)) {
    if (!names.has(one.lock) || isNamed(one.agent, locks)) continue
    const { file } = await diskStateOf(root, await readState(one.agent, home), false)
    if (file.is === 'bundle' && file.fileDigest === one.fileDigest) unnamed.push(one)
    else kept.push(one)
  }
  return { unnamed, kept }
}

/** Removes each of them, unless it was installed again meanwhile. One that cannot be removed hides no other. */
export async function prune(
  { unnamed }: PrunePlan,
  { root, home, dryRun, signal }: PruneCall,
): Promise<PruneOutcome> {
  const removed: PutByLock[] = []
  const failed: { target: string; error: RlpError }[] = []
  for (const { agent, version, lock, fileDigest } of unnamed) {
    const mayRemove = (state: AgentState) => {
      const record = recordIn(state, root)
      return record?.lock === lock && record.fileDigest === fileDigest
    }
    try {
      if (!dryRun) await uninstallAgent(agent, { root, home, signal, mayRemove })
      removed.push({ agent, version, lock })
    } catch (error) {
      if (!isObstacle(error)) throw error
      failed.push({ target: agent, error })
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

/** @throws UsageError unless each lock was named on the command line and has a name of its own */
export function refuseUnprunable(locks: readonly UsableLock[], isNamed: boolean): void {
  if (!isNamed)
    throw new UsageError(
      'Cannot use --prune with a lock that is only found here: it removes what that lock does not name',
      {
        field: 'prune',
        hint: 'Name each lock of this host with --lock',
      },
    )
  const nameless = locks.find(({ lock }) => lock.name === undefined)
  if (nameless !== undefined)
    throw new UsageError(
      `Cannot use --prune with ${nameless.label}: it has no name, so that nothing tells what it has installed`,
      { field: 'prune', hint: 'Give it one where it is kept: rlp lock add --name NAME' },
    )
}

/**
 * A lock that names little of what it has installed is probably the wrong one.
 * @throws RlpError NEEDS_ANSWER if all, or more than half, of what a lock had put here would go. One of one and one of two are all
 */
export function refuseMost({ unnamed }: PrunePlan, before: Before, { locks, root }: PruneCall): void {
  for (const [name, agents] of before) {
    const going = unnamed.flatMap(({ agent, lock }) => (lock === name ? agent : []))
    if (going.length === 0) continue
    const all = new Set([...agents, ...going])
    const gone = [...all].filter(agent => !isNamed(agent, locks)).length
    if (all.size > 2 && gone * 2 <= all.size) continue
    throw new RlpError(
      'NEEDS_ANSWER',
      `Cannot prune "${root.label}": the lock ${name} does not name ${gone} of the ${all.size} agents that it has installed there`,
      { hint: 'See whether it is the right lock. If it is, --allow-prune-all removes them' },
    )
  }
}

function isNamed(agent: string, locks: readonly UsableLock[]): boolean {
  return locks.some(({ lock }) => lock.agents.has(agent))
}

export interface PruneCall {
  readonly locks: readonly UsableLock[]
  readonly root: Root
  readonly home: string
  readonly dryRun: boolean
  readonly signal: AbortSignal
}

/** An agent that a lock has put into the root. */
export interface PutByLock {
  readonly agent: string
  readonly version: string
  /** The name of the lock. */
  readonly lock: string
}

interface Unnamed extends PutByLock {
  readonly fileDigest: string
}

/** By the name of each lock: the agents that it had put into the root before it changed for the last time. */
export type Before = ReadonlyMap<string, readonly string[]>

export interface PrunePlan {
  /** No lock that was given names them. */
  readonly unnamed: readonly Unnamed[]
  /** No lock names them, and their file is not the one that was installed: they stay. */
  readonly kept: readonly PutByLock[]
}
