// What is remembered of each agent: whether it can be read. What cannot be read makes every verdict on that agent indeterminate.
import { plural } from '../../format/text/counts.ts'
import { readReference } from '../../format/version/reference.ts'
import { homeLabel } from '../../io/home.ts'
import { folderNames } from '../../io/read/folder-names.ts'
import { readState, stateFolder, statePath } from '../../io/state/state.ts'
import type { HealthCheck, HealthLine } from './check.ts'
import { wrongLine } from './look.ts'

const ENDING = '.json'

export const states = {
  name: 'state',
  async look({ home }) {
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
    if (wrong.length > 0) return wrong
    const state = `${plural(agents.length, 'agent')} remembered, ${plural(marks, 'mark')}`
    return [{ level: 'ok', what: `state ${homeLabel(stateFolder(home))}`, state }]
  },
} as const satisfies HealthCheck
