import { badPatterns } from '../../format/schema/pattern.ts'
import type { Rule } from '../rule.ts'
import { placeIn } from '../schema-list.ts'
import { schemasOf } from '../schemas.ts'

export const schemaPattern: Rule = {
  id: 'schema/pattern',
  severity: 'error',
  scope: 'bundle',
  summary: 'a pattern is no regular expression, or too long for one',
  why: 'A validator that cannot read a pattern refuses the whole schema, or leaves the pattern out and lets everything through; one of many thousand characters can end the whole program.',
  fix: 'Correct the regular expression; it is read as in JavaScript, with the flag u.',
  *check(agent) {
    for (const schema of schemasOf(agent)) {
      for (const { pointer, schema: node } of schema.nodes) {
        if (typeof node === 'boolean' || (node['pattern'] ?? node['patternProperties']) === undefined)
          continue
        for (const { at, reason } of badPatterns(node)) {
          yield {
            ...placeIn(schema, [...pointer, ...at], at.length > 1 ? 'key' : 'value'),
            message: reason,
            fix: reason.endsWith('characters')
              ? TOO_LONG
              : 'Correct the regular expression; every backslash stands twice in JSON',
          }
        }
      }
    }
  },
}

const TOO_LONG = 'Write it in a simpler way, or list the values as enum'
