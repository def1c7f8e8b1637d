import { MANIFEST_FILE } from '../../model/agent.ts'
import type { Rule } from '../rule.ts'

export const manifestEntryTwice: Rule = {
  id: 'manifest/entry-twice',
  severity: 'error',
  scope: 'bundle',
  summary: 'the manifest names more than one entry',
  why: 'The existing runtime runs the entry at top level while its build command refreshes the one under [agent]: one binary is reviewed, another runs.',
  fix: 'Keep one entry; the one under [agent] is the current form.',
  *check(agent) {
    const [first, ...others] = agent.manifest?.entries ?? []
    if (first === undefined) return
    for (const other of others) {
      const isTop = first.at[0] !== 'agent'
      yield {
        file: MANIFEST_FILE,
        place: { pointer: other.at.slice(0, -1), part: 'key' },
        message: `A second entry, ${other.path}, stands beside ${first.path}${isTop ? ' at top level, which existing runtimes prefer' : ''}`,
        fix: 'Remove the one that is not meant to run',
      }
    }
  },
}
