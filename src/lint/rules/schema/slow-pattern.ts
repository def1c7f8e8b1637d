import type { Problem } from '../../../model/finding.ts'
import { patternProblem } from '../../../schema/pattern.ts'
import { readPattern } from '../../../text/pattern-tree.ts'
import { quoteText } from '../../../text/quote.ts'
import { repeatsRepetition } from '../../../text/slow-pattern.ts'
import type { SourceRule } from '../rule.ts'
import { placeIn } from '../schemas.ts'

export const schemaSlowPattern: SourceRule = {
  id: 'schema/slow-pattern',
  severity: 'warning',
  scope: 'source',
  summary: 'a repeated group of a pattern holds a repetition',
  why: 'Here every pattern is matched in time that only grows with the text. Most other matchers try one way after the other: if such a group can fit one text in many ways, a text that nearly fits makes them try all, and one call stops the runtime for hours.',
  fix: 'Repeat the group or what is in it, not both; or begin each round of the group with a character that the rest of it cannot fit.',
  looks: 'schema',
  check({ schema: where }, report) {
    if (!where.isSound) return
    for (const { pointer, schema } of where.nodes) {
      if (typeof schema === 'boolean') continue
      const { pattern, patternProperties } = schema
      if (typeof pattern === 'string' && isSlow(pattern))
        report({
          ...placeIn(where, [...pointer, 'pattern'], 'value'),
          ...words(pattern),
        })
      if (patternProperties === undefined) continue
      for (const key of Object.keys(patternProperties as object))
        if (isSlow(key))
          report({
            ...placeIn(where, [...pointer, 'patternProperties', key], 'key'),
            ...words(key),
          })
    }
  },
}

function isSlow(pattern: string): boolean {
  return patternProblem(pattern) === undefined && repeatsRepetition(readPattern(pattern))
}

function words(pattern: string): Pick<Problem, 'message' | 'fix'> {
  return {
    message: `The pattern ${quoteText(pattern, 40)} repeats a group that holds a repetition, which can keep other matchers busy for hours`,
    fix: 'Repeat the group or what is in it, not both',
  }
}
