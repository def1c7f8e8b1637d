// Reads the options of the library's functions about locks: where the lock is, how bundles are judged, and where agents are installed.
import { join } from 'node:path'
import { type LongOptions, type PathGiven, pathGiven } from '../io/library/caller.ts'
import type { Root } from '../io/root/root-places.ts'
import { rootsFor } from '../io/root/roots.ts'
import type { Setting } from '../io/setting.ts'
import { UsageError } from '../model/error.ts'
import { LOCK_FILE } from '../model/lock.ts'
import { judgingInput, type TrustOptions } from '../verify/input.ts'
import type { LockPlace } from './lock-file.ts'

export interface LockOptions extends LongOptions, TrustOptions {
  /** The lock; `rlp.lock` in `cwd` where this is left out. */
  readonly lock?: PathGiven
  /** Where agents are installed that the lock calls by name; the folder `agents` of `home`, and the system's, where this is left out. */
  readonly root?: PathGiven
}

export function placeGiven({ lock = LOCK_FILE }: Pick<LockOptions, 'lock'>, io: Setting): LockPlace {
  const path = pathGiven(lock, io, 'use the lock')
  return { path, label: typeof lock === 'string' ? lock : path }
}

export function judgingWith(options: LockOptions, io: Setting) {
  const root = options.root === undefined ? undefined : pathGiven(options.root, io, 'use root')
  return { ...judgingInput(options, io), root }
}

export async function rootsGiven({ root, home }: LockOptions, io: Setting): Promise<Root[]> {
  if (root !== undefined) return rootsFor(pathGiven(root, io, 'use root'), io.cwd)
  if (home === false) return []
  return rootsFor(home === undefined ? undefined : join(pathGiven(home, io, 'use home'), 'agents'), io.cwd)
}

/** @param option as the caller writes it. @throws UsageError */
export function refuseManyGiven(
  option: 'expect' | '--expect',
  expect: string | undefined,
  bundles: number,
): void {
  if (expect === undefined || bundles === 1) return
  throw new UsageError(`Cannot use ${option} with ${bundles} bundles: it is about one`, {
    field: 'expect',
    hint: 'Name one bundle, or leave it out: files called <name>-<version>.agent.bundle imply it',
  })
}
