// Programs that scripts/engines/install.sh puts into .engines/, for tests of `npm run night`.
import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { isNeeded } from './needs.ts'
import { ALL } from './runs.ts'

/** Why a scheduler runs at night alone; false at night. */
export const AT_NIGHT: string | false = !ALL && 'RLP_TEST_RUNS=all runs it'

export const ENGINES: string = resolve('.engines')

/** A package in .engines/. */
export function engine(...path: readonly string[]): string {
  return join(ENGINES, 'node_modules', ...path)
}

/** Why tests of these packages are skipped; false where they run. RLP_NEEDS='engines' says that they have to be there. */
export function missingEngine(...packages: readonly string[]): string | false {
  if (isNeeded('engines')) return false
  const gone = packages.filter(name => !existsSync(engine(name)))
  return gone.length > 0 && `${gone.join(' and ')}: scripts/engines/install.sh has not run`
}
