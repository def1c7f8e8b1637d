import { POLICY_FILE } from '../../../model/agent.ts'
import { entryProblem } from '../../../policy/grant-entry.ts'
import type { BundleRule } from '../rule.ts'

export const capsEntry: BundleRule = {
  id: 'caps/entry',
  severity: 'error',
  scope: 'bundle',
  step: 'schemas',
  summary: 'a grant names nothing that can be granted',
  why: 'A host with a wildcard, a relative folder or an empty name is read by some runtimes as nothing and by others as more than was meant.',
  fix: 'Write host or host:port, an absolute folder or one that begins with ~/, and non-empty names.',
  looks: 'grant',
  check({ list: { key, entries, at } }, report) {
    for (const [index, entry] of entries) {
      const problem = entryProblem(key, entry)
      if (problem === undefined) continue
      const { message, fix } = problem
      report({ file: POLICY_FILE, place: { pointer: [...at, index] }, message, fix })
    }
  },
}
