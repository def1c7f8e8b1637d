import { readUrl } from '../../../format/capability/host.ts'
import { hasBody } from '../../../format/http/body.ts'
import { foreignPlaceholders } from '../../../format/template/foreign-placeholder.ts'
import { placeholdersIn } from '../../../format/template/template.ts'
import { findInput } from '../../../format/template/template-input.ts'
import { quoteText } from '../../../format/text/quote.ts'
import { TOOLS_FILE } from '../../../model/agent.ts'
import { isTable } from '../../../model/own.ts'
import type { Rule } from '../rule.ts'
import { templateTexts } from '../tool-templates.ts'
import { toolsOfKind } from '../tools-of-kind.ts'

/** Names in one message. */
const MOST_NAMED = 3

export const toolsUnsentArgument: Rule = {
  id: 'tools/unsent-argument',
  severity: 'warning',
  scope: 'source',
  summary: 'an argument of a request without body that no placeholder names',
  why: 'GET, DELETE and a few other methods send no body, so only placeholders carry arguments. The model fills this one in, and it goes nowhere.',
  fix: 'Write {{input.<name>}} in the path, the query or a header, or remove the property.',
  *check(agent) {
    const fileAt = (path: string) => agent.documents.get(path)?.value
    for (const [index, tool] of toolsOfKind(agent.tools, 'http')) {
      yield
      const { method, url } = tool.transport
      const { inputSchema: schema } = tool
      const properties = isTable(schema) ? schema['properties'] : undefined
      if (hasBody(method.toUpperCase()) || !isTable(properties)) continue
      // A url that cannot be used has no placeholders to count: tools/url says so.
      if ('problem' in readUrl(url)) continue
      const named = new Set<string>()
      let isMistyped = false
      for (const template of templateTexts(tool)) {
        // tools/foreign-placeholder says what to write.
        for (const { name } of foreignPlaceholders(template)) named.add(name.split('.')[0] ?? '')
        for (const part of placeholdersIn(template.text)) {
          yield
          isMistyped ||= part.kind === 'malformed'
          if (part.kind !== 'input') continue
          named.add(part.path[0] ?? '')
          isMistyped ||= findInput(tool, part.path, fileAt).is === 'missing'
        }
      }
      const unsent = Object.keys(properties).filter(name => !named.has(name))
      const [first] = unsent
      // The property may be the one that a placeholder means: tools/placeholder or tools/input-path says so.
      if (first === undefined || isMistyped) continue
      const shown = unsent.slice(0, MOST_NAMED).map(name => quoteText(name))
      const more = unsent.length > MOST_NAMED ? ` and ${unsent.length - MOST_NAMED} more` : ''
      yield {
        file: TOOLS_FILE,
        place: { pointer: ['tools', index, 'input_schema', 'properties', first], part: 'key' },
        message: `${quoteText(method)} sends no body, and no placeholder names ${shown.join(', ')}${more}`,
        fix: `Write ${exampleOf(first)} in the url, or remove the property`,
      }
    }
  },
}

function exampleOf(name: string): string {
  return /^[A-Za-z0-9_-]+$/.test(name) ? quoteText(`?${name}={{input.${name}}}`, 100) : 'its {{input.<name>}}'
}
