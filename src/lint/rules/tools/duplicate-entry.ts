import { TOOLS_FILE } from '../../../model/agent.ts'
import type { Pointer } from '../../../model/document.ts'
import { quoteText } from '../../../text/quote.ts'
import type { ReportProblem, Rule } from '../rule.ts'

export const toolsDuplicateEntry: Rule = {
  id: 'tools/duplicate-entry',
  severity: 'info',
  scope: 'source',
  summary: 'an entry appears twice in a list of a tool',
  why: 'It changes nothing, and often the second one was to be another.',
  fix: 'Remove it, or write what was meant.',
  looks: 'tool',
  check({ at, tool: { capabilities, secrets, tags } }, report) {
    if (capabilities.length > 1) reportTwice('capabilities', capabilities, [...at, 'capabilities'], report)
    if (secrets.length > 1) reportTwice('secrets', secrets, [...at, 'secrets'], report)
    if (tags.length > 1) reportTwice('tags', tags, [...at, 'observability', 'tags'], report)
  },
}

function reportTwice(name: string, entries: readonly string[], at: Pointer, report: ReportProblem): void {
  const seen = new Set<string>()
  for (const [position, entry] of entries.entries()) {
    if (seen.has(entry))
      report({
        file: TOOLS_FILE,
        place: { pointer: [...at, position] },
        message: `${quoteText(entry)} appears twice in ${name}`,
        fix: 'Remove it, or write what was meant',
      })
    seen.add(entry)
  }
}
