import { POLICY_FILE } from '../../../model/agent.ts'
import { quoteText } from '../../../text/quote.ts'
import type { Rule } from '../rule.ts'

export const capsWhiteSpace: Rule = {
  id: 'caps/white-space',
  severity: 'warning',
  scope: 'source',
  summary: 'a domain or host with white space around it, or a domain without a name',
  why: 'The runtime drops the white space, and an entry that has nothing else; a reader that compares texts grants another name, or none.',
  fix: 'Write the name alone, and remove an entry without one.',
  looks: 'grant',
  check({ list: { key, entries, written, at } }, report) {
    for (const [index, text] of written.entries()) {
      const granted = entries.get(index)
      if (granted === text) continue
      const is = granted === undefined ? 'grants nothing' : `is read as ${quoteText(granted)}`
      report({
        file: POLICY_FILE,
        place: { pointer: [...at, index] },
        message: `${key} ${quoteText(text)} ${is}`,
        fix: granted === undefined ? 'Remove the entry' : `Write ${quoteText(granted)}`,
      })
    }
  },
}
