import { MANIFEST_FILE } from '../../../model/agent.ts'
import type { BundleRule } from '../rule.ts'

export const manifestEntryTwice: BundleRule = {
  id: 'manifest/entry-twice',
  severity: 'error',
  scope: 'bundle',
  step: 'manifest',
  summary: 'the manifest names more than one entry',
  why: 'The existing runtime runs the entry at top level while its build command refreshes the one under [agent]: one binary is reviewed, another runs.',
  fix: 'Keep one entry; the one under [agent] is the current form.',
  looks: 'agent',
  needs: { [MANIFEST_FILE]: 'readable' },
  check({ agent }, report) {
    const entries = agent.manifest?.entries ?? []
    const [first, second] = entries
    if (first === undefined || second === undefined) return
    const isTop = first.at[0] !== 'agent'
    report({
      file: MANIFEST_FILE,
      place: { pointer: first.at.slice(0, -1), part: 'key' },
      message: isTop
        ? `${first.path} is the entry at top level, which existing runtimes prefer, and ${second.path} is another`
        : `${first.path} and ${second.path} are both named as the entry`,
      fix: isTop
        ? 'Remove this one if the one under [agent] is meant to run, or else that one'
        : 'Remove one of the two',
    })
  },
}
