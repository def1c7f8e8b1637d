// A folder and a path → how many levels above the folder the path is found first, as Node looks for packages.
import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** At least 1; undefined if it is in none of the folders above. A folder that may not be looked at counts as one without it. */
export function levelsAbove(folder: string, path: string): number | undefined {
  let levels = 1
  for (let above = dirname(folder); !existsSync(join(above, path)); above = dirname(above)) {
    if (above === dirname(above)) return undefined
    levels++
  }
  return levels
}
