// The inputs that the verbs for rlp.lock share.
import { join, resolve } from 'node:path'
import type { PathGiven } from '../io/library/caller.ts'
import type { Root } from '../io/root/root-places.ts'
import { rootsFor } from '../io/root/roots.ts'
import { UsageError } from '../model/error.ts'
import { LOCK_FILE } from '../model/lock.ts'
import { type Asked, type Input, type InputTable, text, type World, whether } from '../verb/index.ts'
import { labelledFile } from '../verb/kinds/paths.ts'
import { JUDGING, judgingBy, lookUpRoot } from '../verify/judging-inputs.ts'
import type { LockPlace } from './lock-file.ts'

/** The lock; `rlp.lock` in `cwd` where this is left out. */
export const lock = {
  ...labelledFile('which lock', { default: LOCK_FILE, doing: 'use the lock' }),
  absent: ({ cwd }: World) => ({ path: resolve(cwd, LOCK_FILE), label: LOCK_FILE }),
} as Input<PathGiven, LockPlace>

/** Which agent the one bundle has to be; of a repository without a tag the newest version is taken that this accepts. */
export const expect = text(
  'which agent the bundle has to be; of a repository without a tag the newest version in the range is taken',
  { placeholder: 'NAME[@VARIANT][@RANGE]' },
)

/** @interface LockReadOptions */
export const READING = {
  ...JUDGING,
  /** Where agents are installed that the lock calls by name; the folder `agents` of `home`, and the system's, where this is left out. */
  root: lookUpRoot,
} as const satisfies InputTable

export const dryRun = (describe: string) => whether(`write nothing: ${describe}`)

/** How bundles are judged, and where names are looked up. */
export async function readingBy(asked: Asked<typeof READING>, world: World) {
  const { root } = asked
  return { judging: { ...judgingBy(asked, world), root }, roots: await rootsBy(asked, world) }
}

/** Where installed agents are looked for. */
export async function rootsBy(
  { root, home }: Pick<Asked<typeof READING>, 'root' | 'home'>,
  { cwd }: World,
): Promise<Root[]> {
  if (root !== undefined) return rootsFor(root, cwd)
  if (home === false) return []
  return rootsFor(home === undefined ? undefined : join(home, 'agents'), cwd)
}

/** @throws UsageError */
export function refuseMany(expect: string | undefined, bundles: number, { spelt }: World): void {
  if (expect === undefined || bundles === 1) return
  throw new UsageError(`Cannot use ${spelt('expect')} with ${bundles} bundles: it is about one`, {
    field: 'expect',
    hint: 'Name one bundle, or leave it out: files called <name>-<version>.agent.bundle imply it',
  })
}
