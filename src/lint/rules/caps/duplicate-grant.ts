import { POLICY_FILE } from '../../../model/agent.ts'
import { capabilityFamily } from '../../../policy/families/index.ts'
import { openedRoot } from '../../../policy/folder.ts'
import { quoteText } from '../../../text/quote.ts'
import type { PolicyList } from '../agent-parts.ts'
import type { Rule } from '../rule.ts'

export const capsDuplicateGrant: Rule = {
  id: 'caps/duplicate-grant',
  severity: 'info',
  scope: 'source',
  summary: 'the same grant appears twice',
  why: 'Who takes one of the two away believes that the grant is gone.',
  fix: 'Remove one of the two.',
  looks: 'grant',
  check({ list: { key, entries, at } }, report) {
    if (entries.size < 2) return
    const first = new Map<string, string>()
    for (const [index, entry] of entries) {
      const plain = plainForm(key, entry)
      const other = first.get(plain)
      if (other === undefined) {
        first.set(plain, entry)
        continue
      }
      const as = other === entry ? '' : `, as ${quoteText(other)}`
      report({
        file: POLICY_FILE,
        place: { pointer: [...at, index] },
        message: `${key} has ${quoteText(entry)} already${as}`,
        fix: 'Remove one of the two',
      })
    }
  },
}

/** Hosts in their one spelling, folders without needless slashes, programs without arguments. */
function plainForm(key: PolicyList['key'], entry: string): string {
  const { scope, entries } = capabilityFamily(key)
  return scope === 'folder' ? (openedRoot(entry) ?? entry) : entries.plain(entries.spelled(entry))
}
