// A regular expression → its steps, computed once and cached, or why there are none.
import { compilePattern, type PatternProgram, readWithin } from './pattern-program.ts'
import { PatternProblem } from './pattern-tree.ts'

/** `why` ends a sentence that begins with *the pattern cannot be followed:*. */
export interface Undecided {
  readonly decided: false
  readonly fault: 'pattern' | 'text'
  readonly why: string
}

/** Remaining steps; below zero there was too much to do. */
export interface PatternWork {
  left: number
}

const programs = new Map<string, PatternProgram | Undecided>()
/** Steps and characters of all cached patterns. */
const MOST_KEPT = 200_000
let kept = 0

/**
 * Why `matchPattern` could not decide any text; undefined if it can. The engine would match some of the patterns that are too large, but a
 * verdict must not depend on the engine (docs/spec/schemas.md, D-6).
 * @param pattern one that `checkPattern` has accepted
 */
export function whyNotFollowed(pattern: string): string | undefined {
  const read = orSay(() => readWithin(pattern))
  return 'why' in read ? read.why : undefined
}

/** For a pattern that `checkPattern` has accepted. Computing it counts as work. */
export function patternProgram(pattern: string, work: PatternWork): PatternProgram | Undecided {
  const known = programs.get(pattern)
  if (known !== undefined) return known
  const made = orSay(() => compilePattern(pattern))
  const size = pattern.length + ('steps' in made ? made.steps.length : 0)
  // Patterns beyond the cache are computed again for every text.
  work.left -= size
  kept += size
  if (kept > MOST_KEPT) {
    programs.clear()
    kept = size
  }
  programs.set(pattern, made)
  return made
}

function orSay<T>(read: () => T): T | Undecided {
  try {
    return read()
  } catch (error) {
    if (!(error instanceof PatternProblem)) throw error
    return { decided: false, fault: 'pattern', why: error.message }
  }
}
