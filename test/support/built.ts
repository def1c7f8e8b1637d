// What `npm run build` has made, for tests that read or start it. After an edit it would be another program than the one that is tested, so
// scripts/test.ts builds anew before such tests.
import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'

const ROOT = join(import.meta.dirname, '..', '..')
const PROGRAM = join(ROOT, 'dist/program/rlp.cjs')

/** Whether the build is there and no source is newer. */
export function isBuilt(): boolean {
  const built = statSync(PROGRAM, { throwIfNoEntry: false })?.mtimeMs ?? 0
  const sources = readdirSync(join(ROOT, 'src'), { recursive: true, encoding: 'utf8' })
  return sources.every(name => statSync(join(ROOT, 'src', name)).mtimeMs <= built)
}

let isLooked = false

/**
 * Returns the path of the built program. Compares it with the sources once a process, because that takes 40 ms.
 *
 * @throws Error if there is none, or a source is newer
 */
export function builtProgram(): string {
  if (!isLooked && !isBuilt()) throw new Error('dist/ is older than src/: run npm run build first')
  isLooked = true
  return PROGRAM
}
