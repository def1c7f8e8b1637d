// The patterns of a schema → what ajv asks instead of the engine's own regular expressions: a text ends soon, or is refused.
import type { PatternWork } from '../text/kept-patterns.ts'
import { MOST_WORK, matchPattern } from '../text/match-pattern.ts'
import { shortText } from '../text/quote.ts'

/** A text that no pattern should be followed in. It ends the judgement: under `not` a plain no would be a yes. */
export class PatternTooMuch extends Error {
  override readonly name = 'PatternTooMuch'
}

/** What ajv calls an engine: it makes something with `test`, which is known by its text. */
export interface PatternEngine {
  (pattern: string): { test(text: string): boolean }
  readonly code: string
}

/** One for each schema. `start` begins a value, whose texts share what may be done: about a second. */
export function patternEngine(): { readonly engine: PatternEngine; start(): void } {
  const work: PatternWork = { left: MOST_WORK }
  const make = (pattern: string) => ({
    test: (text: string): boolean => {
      const match = matchPattern(pattern, text, work)
      if (match.decided) return match.found
      throw new PatternTooMuch(`${shortText(pattern)}: ${match.why}`)
    },
    // ajv takes two of one name for one.
    toString: () => pattern,
  })
  const start = (): void => {
    work.left = MOST_WORK
  }
  return { engine: Object.assign(make, { code: 'patternEngine' }), start }
}
