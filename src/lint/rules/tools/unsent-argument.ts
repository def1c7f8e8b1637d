import { TOOLS_FILE } from '../../../model/agent.ts'
import { isTable } from '../../../model/own.ts'
import { quoteText } from '../../../text/quote.ts'
import { hasBody } from '../../../tools/http-request.ts'
import type { ToolSubject } from '../../subjects.ts'
import { foreignInputs } from '../foreign-inputs.ts'
import type { Rule } from '../rule.ts'

/** Names in one message. */
const MOST_NAMED = 3

export const toolsUnsentArgument: Rule = {
  id: 'tools/unsent-argument',
  severity: 'warning',
  scope: 'source',
  summary: 'an argument of a request without body that no placeholder names',
  why: 'GET, DELETE and a few other methods send no body, so only placeholders carry arguments. The model fills this one in, and it goes nowhere.',
  fix: 'Write {{input.<name>}} in the path, the query or a header, or remove the property.',
  looks: 'http',
  check(subject, report) {
    const { method } = subject.tool.transport
    const { inputSchema: schema } = subject.tool
    const properties = isTable(schema) ? schema['properties'] : undefined
    if (hasBody(method.toUpperCase()) || !isTable(properties)) return
    // A url that cannot be used has no placeholders to count: tools/url says so.
    if (subject.reach === undefined || 'problem' in subject.reach) return
    const names = Object.keys(properties)
    if (names.length === 0) return
    const named = namedIn(subject)
    const unsent = names.filter(name => !named.has(name))
    const [first] = unsent
    // The property may be the one that a placeholder means: tools/placeholder or tools/input-path says so.
    if (first === undefined || isMistyped(subject)) return
    const shown = unsent.slice(0, MOST_NAMED).map(name => quoteText(name))
    const more = unsent.length > MOST_NAMED ? ` and ${unsent.length - MOST_NAMED} more` : ''
    report({
      file: TOOLS_FILE,
      place: { pointer: [...subject.at, 'input_schema', 'properties', first], part: 'key' },
      message: `${quoteText(method)} sends no body, and no placeholder names ${shown.join(', ')}${more}`,
      fix: `Write ${exampleOf(first, subject.tool.transport.url.includes('?') ? '&' : '?')} in the url, or remove the property`,
    })
  },
}

/** The first steps of the paths that placeholders have, of this system and of others. */
function namedIn(subject: ToolSubject<'http'>): Set<string> {
  const named = new Set<string>()
  // tools/foreign-placeholder says what to write.
  for (const { name = '' } of foreignInputs(subject)) named.add(name.split('.')[0] ?? '')
  for (const { part } of subject.placeholders) if (part.kind === 'input') named.add(part.path[0] ?? '')
  return named
}

function isMistyped({ placeholders, inputs }: ToolSubject<'http'>): boolean {
  return (
    placeholders.some(({ part }) => part.kind === 'malformed') ||
    inputs.some(({ fact }) => fact.is === 'missing')
  )
}

function exampleOf(name: string, sign: '?' | '&'): string {
  return /^[A-Za-z0-9_-]+$/.test(name)
    ? quoteText(`${sign}${name}={{input.${name}}}`, 100)
    : 'its {{input.<name>}}'
}
