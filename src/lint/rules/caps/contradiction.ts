import { POLICY_FILE } from '../../../model/agent.ts'
import { capabilityFamily } from '../../../policy/families/index.ts'
import { openedRoot } from '../../../policy/folder.ts'
import { quoteText } from '../../../text/quote.ts'
import { policyLists } from '../agent-parts.ts'
import type { Rule } from '../rule.ts'

export const capsContradiction: Rule = {
  id: 'caps/contradiction',
  severity: 'warning',
  scope: 'source',
  summary: 'a folder is granted for reading only and for writing',
  why: 'Writing wins, and a reviewer who reads the first of the two lines believes the opposite.',
  fix: 'Keep the folder in one of the lists.',
  looks: 'agent',
  needs: { [POLICY_FILE]: 'sound' },
  check({ agent }, report) {
    const lists = policyLists(agent)
    const writable = new Set(
      lists
        .filter(({ key }) => capabilityFamily(key).opens === 'write')
        .flatMap(({ entries }) => [...entries.values()].map(openedRoot)),
    )
    if (writable.size === 0) return
    for (const { key, entries, at } of lists) {
      if (capabilityFamily(key).opens !== 'read') continue
      for (const [index, entry] of entries) {
        const root = openedRoot(entry)
        if (root === undefined || !writable.has(root)) continue
        report({
          file: POLICY_FILE,
          place: { pointer: [...at, index] },
          message: `${key} grants ${quoteText(entry)} for reading only, and fs_rw for writing too`,
          fix: `Remove it here, or from fs_rw if the agent is to read only`,
        })
      }
    }
  },
}
