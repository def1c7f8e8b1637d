// Several locks for one command → whether they can be used together. Two that say different things of one agent, and one that is given twice, are
// a mistake of who wrote the command: nothing is read before it is corrected.

import { realPath } from '../io/read/real-path.ts'
import { isSamePin } from '../lock-file/same-entry.ts'
import { UsageError } from '../model/error.ts'
import type { LockSource } from '../model/lock.ts'

/** A lock, and the file that it was read from. */
export interface LockAt {
  /** Absolute; undefined if it was read elsewhere. */
  readonly path: string | undefined
  readonly source: LockSource
}

/** @throws UsageError for a file that is given twice, two locks of one name, and two that pin one agent differently */
export async function refuseDisagreeing(locks: readonly LockAt[]): Promise<void> {
  const paths = await Promise.all(
    locks.map(({ path, source }) => (path === undefined ? undefined : realPath(path, source.label))),
  )
  for (const [at, { source }] of locks.entries()) {
    const path = paths[at]
    if (path !== undefined && paths.indexOf(path) < at)
      throw wrong(`Cannot use ${source.label} twice: it is one lock`, 'Name each lock once')
    for (const { source: earlier } of locks.slice(0, at)) refusePair(earlier, source)
  }
}

function refusePair(one: LockSource, other: LockSource): void {
  if (one.lock === undefined || other.lock === undefined) return
  const { name } = other.lock
  if (name !== undefined && one.lock.name === name)
    throw wrong(
      `Cannot use ${one.label} with ${other.label}: both are called ${name}`,
      'Each lock of a host has a name of its own: write one of them anew, with rlp lock add BUNDLE --name NAME --lock FILE',
    )
  for (const [agent, pinned] of other.lock.agents) {
    const before = one.lock.agents.get(agent)
    if (before === undefined || isSamePin(before, pinned)) continue
    throw wrong(
      `Cannot use ${one.label} with ${other.label}: they pin ${agent} differently (${before.version} and ${pinned.version})`,
      `Pin it in one of them alone, or take the same bundle into both with rlp lock update`,
    )
  }
}

function wrong(message: string, hint: string): UsageError {
  return new UsageError(message, { field: 'lock', hint })
}
