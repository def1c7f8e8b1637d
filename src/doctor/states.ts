// Checks what is remembered of each agent: whether it can be read, and whether it is older than what is installed. A state that cannot be read
// makes every verdict on its agent indeterminate. One that is older is from a back-up, and has forgotten more than this one mark.
import { dirname } from 'node:path'
import { homeLabel } from '../io/home.ts'
import { entryOrNothing } from '../io/read/entry.ts'
import { folderNames } from '../io/read/real-path.ts'
import { readState, stateFolder, statePath } from '../io/state/state.ts'
import { RlpError } from '../model/error.ts'
import type { InstalledFile } from '../model/installed-file.ts'
import { writePath } from '../text/shell-words.ts'
import { plural } from '../text/words.ts'
import { readReference } from '../version/reference.ts'
import type { HealthCheck, HealthLine, LookedHost } from './check.ts'
import { wrongLine } from './look.ts'

const ENDING = '.json'

export const states = {
  name: 'state',
  async look(host) {
    const { home } = host
    const agents = folderNames(stateFolder(home))
      .filter(name => name.endsWith(ENDING))
      .map(name => name.slice(0, -ENDING.length))
      .filter(name => readReference(name) !== undefined)
    const wrong: HealthLine[] = []
    let marks = 0
    for (const agent of agents) {
      try {
        marks += (await readState(agent, home)).marks.length
      } catch (error) {
        wrong.push(wrongLine(`state ${homeLabel(statePath(agent, home))}`, error))
      }
    }
    const older = await olderThanInstalled(host)
    if (wrong.length + older.length > 0) return [...wrong, ...older]
    const state = `${plural(agents.length, 'agent')} remembered, ${plural(marks, 'mark')}`
    return [{ level: 'ok', what: `state ${homeLabel(stateFolder(home))}`, state }]
  },
} as const satisfies HealthCheck

async function olderThanInstalled(host: LookedHost): Promise<HealthLine[]> {
  const agents = (await host.judged()).flatMap(({ agent }) => agent ?? [])
  const lines: HealthLine[] = []
  for (const agent of new Set(agents)) {
    const what = `state ${homeLabel(statePath(agent, host.home))}`
    // Its own line says why it cannot be read.
    const marks = await readState(agent, host.home).then(({ marks }) => marks, unlessUnusable)
    if (marks === undefined) continue
    const ours = (await host.installedMarks(agent)).filter(({ installed }) => isOurs(installed))
    const [found] = ours
    if (found?.installed === undefined) continue
    const { path } = found.installed
    const remembered = marks[0] === undefined ? 'remembers no version' : `remembers ${marks[0].version}`
    lines.push({
      level: 'warning',
      what,
      state: `it is older than what is installed: ${found.version} is in ${homeLabel(dirname(path))}, and it ${remembered}`,
      fix: `Put a newer back-up of the folder back, or run rlp agent install ${writePath(homeLabel(path))}, which raises the mark (docs/back-up.md)`,
    })
  }
  return lines
}

/** What another user installed is not in this user's state, such as an administrator's agents in a root of the system. */
function isOurs(installed: InstalledFile | undefined): boolean {
  const owner = installed && entryOrNothing(installed.path)?.uid
  return owner !== undefined && (process.getuid === undefined || owner === process.getuid())
}

function unlessUnusable(error: unknown): undefined {
  if (!(error instanceof RlpError)) throw error
}
