import { withoutDoubledEscapes, withoutSlashes } from '../../../schema/meant-pattern.ts'
import { checkPattern } from '../../../schema/pattern.ts'
import { matchesNothing } from '../../../text/pattern-fits.ts'
import { quoteText } from '../../../text/quote.ts'
import type { Rule } from '../rule.ts'
import { argumentOf, placeIn } from '../schemas.ts'

export const schemaOddPattern: Rule = {
  id: 'schema/odd-pattern',
  severity: 'warning',
  scope: 'source',
  summary: 'a pattern with slashes around it, or with too many backslashes',
  why: 'A pattern is a plain string: slashes around it must then occur in the value, and flags after them are letters. JSON needs each backslash twice; written four times, the pattern matches a backslash in the value.',
  fix: 'Write the pattern without slashes and flags, and write each backslash twice.',
  looks: 'schema',
  check({ schema }, report) {
    if (!schema.isSound) return
    for (const { pointer, schema: node } of schema.nodes) {
      const pattern = typeof node === 'object' ? node['pattern'] : undefined
      const found = typeof pattern === 'string' ? oddIn(pattern) : undefined
      if (found === undefined) continue
      report({
        ...placeIn(schema, [...pointer, 'pattern']),
        message: `The pattern ${quoteText(String(pattern), 60)} ${found.why}`,
        fix: found.fix,
        shared: { name: argumentOf(schema, pointer), words: `arguments have a pattern that ${found.why}` },
      })
    }
  },
}

function oddIn(pattern: string): { readonly why: string; readonly fix: string } | undefined {
  if (!/^\/|\\\\/.test(pattern) || checkPattern(pattern) !== undefined) return undefined
  // Another rule reports a pattern that no text matches.
  if (matchesNothing(pattern)) return undefined
  const bare = withoutSlashes(pattern)
  if (bare !== undefined)
    return { why: 'has slashes around it, so the value must have them too', fix: writeBare(bare) }
  const single = withoutDoubledEscapes(pattern)
  if (single === undefined) return undefined
  return { why: 'matches a backslash in the value', fix: `Write ${JSON.stringify(single)}` }
}

/** The fix for a pattern between slashes. */
export function writeBare({ meant, flags }: { readonly meant: string; readonly flags: string }): string {
  const also = flags.includes('i') ? '; a pattern has no flags, so list both cases, as in [A-Za-z]' : ''
  return `Write ${JSON.stringify(meant)}${also}`
}
