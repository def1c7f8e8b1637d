import { meantPattern } from '../../../schema/meant-pattern.ts'
import { badPatterns } from '../../../schema/pattern.ts'
import type { BundleRule } from '../rule.ts'
import { placeIn } from '../schemas.ts'

export const schemaPattern: BundleRule = {
  id: 'schema/pattern',
  severity: 'error',
  scope: 'bundle',
  step: 'schemas',
  summary: 'a pattern is no regular expression, or one that cannot be followed',
  why: 'A validator that cannot read a pattern refuses the whole schema, or leaves the pattern out and lets everything through; one of many thousand characters can end the whole program. One that refers back to a group can only be tried, one way after the other, for hours: tools with such a pattern are not called.',
  fix: 'Correct the regular expression; it is read as in JavaScript, with the flag u. Say what is meant without references back to groups, and count to less than ten thousand.',
  looks: 'schema',
  check({ schema }, report) {
    if (schema.isPlain) return
    for (const { pointer, schema: node } of schema.nodes) {
      if (typeof node === 'boolean') continue
      for (const { at, reason } of badPatterns(node))
        report({
          ...placeIn(schema, [...pointer, ...at], at.length > 1 ? 'key' : 'value'),
          message: reason,
          fix: fixOf(String(at.length > 1 ? at[1] : node['pattern']), reason),
        })
    }
  },
}

function fixOf(pattern: string, reason: string): string {
  if (/characters$|cannot be followed/.test(reason)) return SIMPLER
  const meant = meantPattern(pattern)
  if (meant !== undefined) return `Write ${JSON.stringify(meant)}`
  return /^\(\?[a-z]+\)/.test(pattern)
    ? 'Remove the flags at its beginning: a pattern has no flags, so list both cases, as in [A-Za-z]'
    : 'Correct the regular expression; every backslash appears twice in JSON'
}

const SIMPLER = 'Write it in a simpler way, or list the values as enum'
