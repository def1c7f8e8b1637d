import { quoteText } from '../../../format/text/quote.ts'
import { TOOLS_FILE } from '../../../model/agent.ts'
import type { Pointer } from '../../../model/document.ts'
import type { Tool } from '../../../model/tools.ts'
import type { Rule } from '../rule.ts'

export const toolsDuplicateEntry: Rule = {
  id: 'tools/duplicate-entry',
  severity: 'info',
  scope: 'source',
  summary: 'an entry appears twice in a list of a tool',
  why: 'It changes nothing, and often the second one was to be another.',
  fix: 'Remove it, or write what was meant.',
  *check(agent) {
    for (const [index, tool] of (agent.tools?.tools ?? []).entries()) {
      yield
      for (const { name, at, entries } of lists(tool)) {
        yield
        const seen = new Set<string>()
        for (const [position, entry] of entries.entries()) {
          yield
          if (!seen.has(entry)) {
            seen.add(entry)
            continue
          }
          yield {
            file: TOOLS_FILE,
            place: { pointer: ['tools', index, ...at, position] },
            message: `${quoteText(entry)} appears twice in ${name}`,
            fix: 'Remove it, or write what was meant',
          }
        }
      }
    }
  },
}

function lists({
  capabilities,
  secrets,
  tags,
}: Tool): { name: string; at: Pointer; entries: readonly string[] }[] {
  return [
    { name: 'capabilities', at: ['capabilities'], entries: capabilities },
    { name: 'secrets', at: ['secrets'], entries: secrets },
    { name: 'tags', at: ['observability', 'tags'], entries: tags },
  ]
}
