// What an update was asked for → the bundles that it reads, each with its name in the lock.
import type { Target } from '../io/find/search-folders.ts'
import type { Root } from '../io/root/root-places.ts'
import { RlpError } from '../model/error.ts'
import type { UsableLock } from './lock-file.ts'
import { type LockedFrom, lockedFrom, sourceOf, targetOf } from './lock-source.ts'

export interface UpdateAsked {
  /** Names of agents in the lock, each from its own source. Every one where this and `bundles` are empty. */
  readonly agents: readonly string[]
  /** Bundles that take the place of agents in the lock. */
  readonly bundles: readonly Target[]
  /** Which agent the one bundle has to be; of a repository the newest version is taken that it accepts. */
  readonly expect?: string | undefined
  readonly roots: readonly Root[]
}

export interface UpdateTarget extends Target {
  /** As the lock names it. */
  readonly from: LockedFrom
  readonly expect: string | undefined
}

export async function targetsOf(
  { agents, bundles, expect, roots }: UpdateAsked,
  { lock, folder, label }: UsableLock,
): Promise<UpdateTarget[]> {
  const names = agents.length === 0 && bundles.length === 0 ? [...lock.agents.keys()] : agents
  const own = names.map(async agent => {
    const locked = lock.agents.get(agent)
    if (locked === undefined) throw notLocked(agent, label)
    const target = await targetOf(locked.source, folder, roots)
    const range = expect ?? locked.expect
    return { ...target, from: lockedFrom(locked.source, range), expect: range ?? agent }
  })
  const given = bundles.map(target => ({
    ...target,
    from: sourceOf(target, folder, expect),
    expect: expect ?? target.reference,
  }))
  return [...(await Promise.all(own)), ...given]
}

export function notLocked(agent: string, label: string): RlpError {
  return new RlpError('NOT_FOUND', `Cannot update ${agent}: ${label} has no such agent`, {
    hint: 'rlp lock add BUNDLE takes a new agent in; rlp lock list shows those that are there',
  })
}
