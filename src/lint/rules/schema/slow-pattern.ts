import { quoteText, shortText } from '../../../format/text/quote.ts'
import type { PatternFact } from '../../../format/text/slow-pattern.ts'
import { judgedPatterns } from '../pattern-facts.ts'
import type { SourceRule } from '../rule.ts'
import { placeIn } from '../schema-list.ts'
import { schemasInSteps } from '../schemas.ts'

export const schemaSlowPattern: SourceRule = {
  id: 'schema/slow-pattern',
  severity: 'warning',
  scope: 'source',
  summary: 'a pattern that a short text can keep busy for hours',
  why: 'Most matchers try one way after the other. Where a pattern can fit in many ways, a text that nearly fits makes them try all: one call stops the runtime.',
  fix: 'Let no repetition follow or hold another that fits the same characters; bound the text with maxLength where the time only grows with a power.',
  *check(agent, prepared) {
    yield* schemasInSteps(agent)
    for (const { where, pointer, part, pattern, longest, fact } of judgedPatterns(agent, prepared)) {
      yield
      const slow = slowness(fact, longest)
      if (slow === undefined) continue
      yield {
        ...placeIn(where, pointer, part),
        message: `The pattern ${quoteText(pattern, 40)} ${slow.why}, as for ${shortText(slow.example)}`,
        fix: slow.fix,
      }
    }
  },
}

/** The most steps for a matcher: about a tenth of a second. */
const MOST_STEPS = 1e7

function slowness(
  fact: PatternFact,
  longest: number,
): { why: string; fix: string; example: string } | undefined {
  if (fact.is === 'exponential')
    return {
      why: 'can take twice as long for every few characters more',
      fix: 'Let no repetition hold another one that fits the same characters',
      example: fact.example,
    }
  if (fact.is !== 'polynomial' || longest ** fact.growth <= MOST_STEPS) return undefined
  const power =
    fact.growth === 2 ? 'the square' : fact.growth === 3 ? 'the cube' : `the power of ${fact.growth}`
  return {
    why: `takes time that grows with ${power} of the length`,
    fix: `Bound the text, for example "maxLength": ${suggested(fact.growth)}, or let no two repetitions fit the same characters`,
    example: fact.example,
  }
}

/** A round number of characters that is short enough. */
function suggested(growth: number): number {
  const most = MOST_STEPS ** (1 / growth)
  return [1000, 200, 100, 50, 20].find(length => length <= most) ?? 10
}
