// The patterns of a schema → an engine for ajv in place of the built-in regular expressions: a text is decided soon, or refused.
import type { PatternWork } from '../text/kept-patterns.ts'
import { MOST_WORK, matchPattern } from '../text/match-pattern.ts'
import { shortText } from '../text/quote.ts'

/** A text that takes a pattern too much work. It ends the whole check: under `not`, a plain no would become a yes. */
export class PatternTooMuch extends Error {
  override readonly name = 'PatternTooMuch'
}

/** ajv's interface of an engine: it makes objects with `test`, identified by their text. */
interface PatternEngine {
  (pattern: string): { test(text: string): boolean }
  readonly code: string
}

/** One for each schema. `start` begins a value, whose texts share the allowed work: about a second. */
export function patternEngine(): { readonly engine: PatternEngine; start(): void } {
  const work: PatternWork = { left: MOST_WORK }
  const make = (pattern: string) => ({
    test: (text: string): boolean => {
      const match = matchPattern(pattern, text, work)
      if (match.decided) return match.found
      throw new PatternTooMuch(`${shortText(pattern)}: ${match.why}`)
    },
    // ajv identifies a pattern by this name.
    toString: () => pattern,
  })
  const start = (): void => {
    work.left = MOST_WORK
  }
  return { engine: Object.assign(make, { code: 'patternEngine' }), start }
}
