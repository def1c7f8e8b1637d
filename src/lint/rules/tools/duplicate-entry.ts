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
    reportTwice('capabilities', capabilities, [...at, 'capabilities'], report)
    reportTwice('secrets', secrets, [...at, 'secrets'], report)
    reportTwice('tags', tags, [...at, 'observability', 'tags'], report)
  },
}

function reportTwice(name: string, entries: readonly string[], at: Pointer, report: ReportProblem): void {
  if (entries.length < 2) return
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
