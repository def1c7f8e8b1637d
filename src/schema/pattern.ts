// A regular expression of a schema → whether it is valid.
import type { Pointer } from '../model/document.ts'
import type { JsonSchema } from '../model/tools.ts'
import { whyNotFollowed } from '../text/kept-patterns.ts'
import { quoteText, shortText } from '../text/quote.ts'

/** A longer one can overflow an engine's stack at its first use, which ends the program. */
const MAX_PATTERN_LENGTH = 5_000

/**
 * Why a `pattern`, or a key of `patternProperties`, cannot be used; undefined if it can. Read with the `u` flag, as the validator does:
 * stricter than without.
 */
export function checkPattern(pattern: string): string | undefined {
  const shown = quoteText(pattern)
  if (pattern.length > MAX_PATTERN_LENGTH)
    return `The pattern ${shown} has more than ${MAX_PATTERN_LENGTH} characters`
  try {
    new RegExp(pattern, 'u')
    return undefined
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
    // V8 repeats the whole pattern, then gives the reason after the last colon.
    const reason = error.message.slice(error.message.lastIndexOf(':') + 1).trim()
    return `The pattern ${shown} is no regular expression: ${shortText(reason)}`
  }
}

/** A regular expression that cannot be used, by its place in the schema. */
interface BadPattern {
  readonly at: Pointer
  readonly reason: string
}

const NONE: readonly BadPattern[] = []

/** The regular expressions of one schema that are invalid or cannot be followed. */
export function badPatterns(schema: JsonSchema): readonly BadPattern[] {
  if (typeof schema === 'boolean') return NONE
  const { pattern, patternProperties } = schema
  // Most schemas have neither.
  if ((pattern ?? patternProperties) === undefined) return NONE
  const found: BadPattern[] = []
  const look = (text: string, at: Pointer): void => {
    const reason = patternProblem(text)
    if (reason !== undefined) found.push({ at, reason })
  }
  if (typeof pattern === 'string') look(pattern, ['pattern'])
  for (const text of Object.keys(patternProperties ?? {})) look(text, ['patternProperties', text])
  return found
}

/** Why no validator here uses a pattern: it is invalid, or cannot be followed. */
export function patternProblem(pattern: string): string | undefined {
  return checkPattern(pattern) ?? notFollowed(pattern)
}

/** No text may keep a validator busy, so a pattern that needs backtracking is refused. */
function notFollowed(pattern: string): string | undefined {
  const why = whyNotFollowed(pattern)
  if (why === undefined) return undefined
  return `The pattern ${quoteText(pattern)} cannot be followed in time that only grows with the text: ${why}`
}
