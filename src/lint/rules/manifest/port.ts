import { MANIFEST_FILE } from '../../../model/agent.ts'
import { isTable, own } from '../../../model/own.ts'
import { quoteText } from '../../../text/quote.ts'
import { isBlank } from '../../../text/words.ts'
import type { Rule } from '../rule.ts'

export const manifestPort: Rule = {
  id: 'manifest/port',
  severity: 'warning',
  scope: 'source',
  summary: 'a port without a name, or one that appears twice',
  why: 'Runtimes connect agents by the names of their ports: nothing can be connected to a blank one, and of two with one name the second gets nothing.',
  fix: 'Write the message type, for example state.mail.result.v1, or remove the entry.',
  looks: 'agent',
  needs: { [MANIFEST_FILE]: 'readable' },
  check({ agent }, report) {
    const root = agent.documents.get(MANIFEST_FILE)?.value
    const ports = isTable(root) ? own(root, 'ports') : undefined
    for (const key of ['in', 'out']) {
      const list = isTable(ports) ? own(ports, key) : undefined
      const seen = new Set<string>()
      for (const [index, name] of (Array.isArray(list) ? list : []).entries()) {
        // Its type is a matter of manifest/shape.
        if (typeof name !== 'string') continue
        const isTwin = seen.has(name.trim())
        seen.add(name.trim())
        if (!isTwin && !isBlank(name)) continue
        report({
          file: MANIFEST_FILE,
          place: { pointer: ['ports', key, index] },
          message: isBlank(name) ? `A port of ${key} is blank` : `${quoteText(name)} appears twice in ${key}`,
          fix: isBlank(name) ? 'Write the message type, or remove the entry' : 'Remove one of the two',
        })
      }
    }
  },
}
