import { meantFormat } from '../../../schema/formats.ts'
import { quoteText } from '../../../text/quote.ts'
import type { Rule } from '../rule.ts'
import { argumentOf, placeIn } from '../schemas.ts'

export const schemaUnknownFormat: Rule = {
  id: 'schema/unknown-format',
  severity: 'warning',
  scope: 'source',
  summary: 'a format that does not exist, where another name was meant',
  why: 'Validators ignore a format that they do not know: one that checks "date-time" checks nothing if the schema says "datetime".',
  fix: 'Use the name that JSON Schema has for the format.',
  looks: 'schema',
  check({ schema }, report) {
    if (!schema.isSound) return
    for (const { pointer, schema: node } of schema.nodes) {
      // For a number, such a name often says what it counts.
      const format = typeof node === 'object' ? node['format'] : undefined
      if (typeof node !== 'object' || typeof format !== 'string') continue
      const isText = [node['type'] ?? 'string'].flat().includes('string')
      const meant = isText ? meantFormat(format) : undefined
      if (meant === undefined) continue
      report({
        ...placeIn(schema, [...pointer, 'format']),
        message: `There is no format ${quoteText(String(format))}, so validators ignore it`,
        fix: `Write ${quoteText(meant)}`,
        shared: {
          name: argumentOf(schema, pointer),
          words: `arguments have the format ${quoteText(String(format))}, which does not exist`,
        },
      })
    }
  },
}
