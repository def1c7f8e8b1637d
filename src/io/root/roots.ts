// The folders in which installed agents are looked for.
import { promises as fs } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { io } from '../fail.ts'
import { homeLabel, namedPath, nearLabel, runloopHome } from '../home.ts'
import type { Root } from './root-places.ts'

/** Used by distributions and administrators. */
export const SYSTEM_ROOTS: readonly string[] = ['/usr/lib/runloop/agents', '/var/lib/runloop/agents']

/** The root to work in: the given one, else the user's own. */
export async function rootFor(
  given: string | undefined,
  cwd: string,
  home: string = runloopHome(),
): Promise<Root> {
  if (given !== undefined) {
    const path = namedPath(given, cwd)
    return { path: await withoutLinks(path), label: nearLabel(path, cwd) }
  }
  const path = join(home, 'agents')
  return { path: await withoutLinks(path), label: homeLabel(path), home }
}

/** The roots to search, in order: only the given one, else all of them. */
export async function rootsFor(given: string | undefined, cwd: string, home?: string): Promise<Root[]> {
  const own = await rootFor(given, cwd, home)
  return given === undefined ? [own, ...SYSTEM_ROOTS.map(path => ({ path, label: path }))] : [own]
}

/** One spelling for each root: links in the folders above are followed, a link at the root itself is not. */
async function withoutLinks(path: string): Promise<string> {
  const missing: string[] = [basename(path)]
  for (let above = dirname(path); ; above = dirname(above)) {
    const real = await io(`look at "${above}"`, () =>
      fs.realpath(above).catch(error => {
        if (error.code === 'ENOENT' && above !== dirname(above)) return undefined
        throw error
      }),
    )
    if (real !== undefined) return join(real, ...missing)
    missing.unshift(basename(above))
  }
}
