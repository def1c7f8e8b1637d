import { patternProblem } from '../../../format/schema/pattern.ts'
import type { Subschema } from '../../../format/schema/walk.ts'
import { readPattern } from '../../../format/text/pattern-tree.ts'
import { quoteText } from '../../../format/text/quote.ts'
import { repeatsRepetition } from '../../../format/text/slow-pattern.ts'
import type { SourceRule } from '../rule.ts'
import { placeIn } from '../schema-list.ts'
import { schemasOf } from '../schemas.ts'

export const schemaSlowPattern: SourceRule = {
  id: 'schema/slow-pattern',
  severity: 'warning',
  scope: 'source',
  summary: 'a repeated group of a pattern holds a repetition',
  why: 'Here every pattern is matched in time that only grows with the text. Most other matchers try one way after the other: if such a group can fit one text in many ways, a text that nearly fits makes them try all, and one call stops the runtime for hours.',
  fix: 'Repeat the group or what is in it, not both; or begin each round of the group with a character that the rest of it cannot fit.',
  *check(agent) {
    for (const where of schemasOf(agent)) {
      if (!where.isSound) continue
      for (const node of where.nodes)
        for (const { at, part, pattern } of patternsIn(node)) {
          yield
          if (patternProblem(pattern) !== undefined || !repeatsRepetition(readPattern(pattern))) continue
          yield {
            ...placeIn(where, [...node.pointer, ...at], part),
            message: `The pattern ${quoteText(pattern, 40)} repeats a group that holds a repetition, which can keep other matchers busy for hours`,
            fix: 'Repeat the group or what is in it, not both',
          }
        }
    }
  },
}

interface WrittenPattern {
  /** From its schema to the pattern, which is a value or a key. */
  readonly at: readonly string[]
  readonly part: 'key' | 'value'
  readonly pattern: string
}

function patternsIn({ schema }: Pick<Subschema, 'schema'>): WrittenPattern[] {
  if (typeof schema === 'boolean') return []
  const { pattern, patternProperties } = schema
  const keys = Object.keys(patternProperties ?? {})
  return [
    ...(typeof pattern === 'string' ? [{ at: ['pattern'], part: 'value' as const, pattern }] : []),
    ...keys.map(name => ({ at: ['patternProperties', name], part: 'key' as const, pattern: name })),
  ]
}
