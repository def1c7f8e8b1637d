// What others state about an installed bundle → the file beside it.
import { rename } from 'node:fs/promises'
import { join } from 'node:path'
import { io } from '../io/fail.ts'
import { stagingPath } from '../io/root/install-root.ts'
import { bundlePath, type Root } from '../io/root/root-places.ts'
import { syncFolder } from '../io/write/write-atomic.ts'
import { besideBundle } from '../statement/beside-bundle.ts'
import { writeNew } from './unpack.ts'

/** Puts statements beside an installed bundle that stays. Staging exists, is empty, and is ours. */
export async function placeStatements(root: Root, agent: string, attestations: Uint8Array): Promise<void> {
  const staged = join(stagingPath(root), 'attestations')
  await writeNew(staged, [attestations], 0o644, statementsLabel(root, agent))
  await syncFolder(stagingPath(root))
  await swapStatements(root, agent, staged)
}

/** One rename: a reader finds the statements from before or these. */
export async function swapStatements(root: Root, agent: string, from: string): Promise<void> {
  const place = besideBundle(bundlePath(root, agent))
  await io(`put "${statementsLabel(root, agent)}" in place`, () => rename(from, place))
  await syncFolder(root.path)
}

export function statementsLabel({ label }: Root, agent: string): string {
  return besideBundle(`${label}/${agent}.agent.bundle`)
}
