// Regular expressions → how the time to match them grows with the text. The only file that loads the checker, and only for patterns that
// are not plain. It uses only the checker's JavaScript part, which starts no other program.
import type { Diagnostics } from 'recheck'
import { isPlainPattern } from './plain-pattern.ts'

/** The result for a pattern that is not plain. */
export type PatternFact =
  | { readonly is: 'fast' }
  /** The time grows with this power of the length; `example` shows a slow text, as code. */
  | { readonly is: 'polynomial'; readonly growth: number; readonly example: string }
  | { readonly is: 'exponential'; readonly example: string }
  | { readonly is: 'undecided'; readonly why: string }

/** A longer or deeper pattern takes the checker too long, or overflows the stack. */
const MOST_CHARACTERS = 500
const MOST_GROUPS = 30
/** Milliseconds for one pattern, and for all of one call. The checker looks at the clock some hundred times a second. */
const MOST_TIME = 1_000
const MOST_TIME_IN_ALL = 5_000

/**
 * Facts about the patterns that are not plain; the others are left out. Each takes at most about a second, all together about five: the
 * rest stays undecided.
 * @param patterns which `checkPattern` has accepted
 * @param most milliseconds for all of them
 */
export async function judgePatterns(
  patterns: Iterable<string>,
  most = MOST_TIME_IN_ALL,
): Promise<Map<string, PatternFact>> {
  const facts = new Map<string, PatternFact>()
  const open: string[] = []
  for (const pattern of new Set(patterns)) {
    const why = isPlainPattern(pattern) ? undefined : tooMuch(pattern)
    if (why !== undefined) facts.set(pattern, { is: 'undecided', why })
    else if (!isPlainPattern(pattern)) open.push(pattern)
  }
  if (open.length === 0) return facts
  // Loading it takes longer than the rest of lint.
  const checker = await import('recheck/lib/browser.js')
  const checkSync = checker.checkSync ?? checker.default?.checkSync
  if (checkSync === undefined) throw new TypeError('the checker of patterns has another form than it had')
  const end = performance.now() + most
  for (const pattern of open) {
    const timeout = Math.min(MOST_TIME, Math.ceil(end - performance.now()))
    facts.set(pattern, timeout < 1 ? LATE : factFrom(checkSync, pattern, timeout))
  }
  return facts
}

const LATE: PatternFact = { is: 'undecided', why: 'the patterns before it took all the time there is' }

type Check = (source: string, flags: string, options: { readonly timeout: number }) => Diagnostics

function factFrom(check: Check, pattern: string, timeout: number): PatternFact {
  let found: Diagnostics
  try {
    found = check(pattern, 'u', { timeout })
  } catch (error) {
    // The checker walks patterns recursively; a short one that still overflows the stack stays undecided.
    if (!(error instanceof RangeError)) throw error
    return { is: 'undecided', why: 'it is too complex' }
  }
  if (found.status === 'safe') return { is: 'fast' }
  if (found.status === 'unknown') {
    return {
      is: 'undecided',
      why: found.error.kind === 'timeout' ? 'that would take too long' : 'it is too complex',
    }
  }
  const example = found.attack.pattern
  const { complexity } = found
  return complexity.type === 'exponential'
    ? { is: 'exponential', example }
    : { is: 'polynomial', growth: complexity.degree, example }
}

function tooMuch(pattern: string): string | undefined {
  if (pattern.length > MOST_CHARACTERS) return `it has more than ${MOST_CHARACTERS} characters`
  let depth = 0
  let deepest = 0
  // Also counts escaped brackets and those in classes, which only makes the limit stricter.
  for (const character of pattern) {
    if (character === '(') depth++
    else if (character === ')') depth--
    deepest = Math.max(deepest, depth)
  }
  return deepest > MOST_GROUPS ? `groups are nested more than ${MOST_GROUPS} deep` : undefined
}
