// Regular expressions → how the time to match one grows with the text. The only file that loads the checker, and only for what is not
// plain. Nothing else of the checker is used than its part in JavaScript: no other program is started.
import type { Diagnostics } from 'recheck'
import { isPlainPattern } from './plain-pattern.ts'

/** What is known of a pattern that is not plainly fast. */
export type PatternFact =
  | { readonly is: 'fast' }
  /** `growth` is the power with which the time grows; `example` shows a slow text, as code. */
  | { readonly is: 'polynomial'; readonly growth: number; readonly example: string }
  | { readonly is: 'exponential'; readonly example: string }
  | { readonly is: 'undecided'; readonly why: string }

/** Longer ones, or groups within more groups, take the checker too long, or more stack than there is. */
const MOST_CHARACTERS = 500
const MOST_GROUPS = 30
/** Milliseconds for one pattern, and for all of one call. The checker looks at the clock some hundred times a second. */
const MOST_TIME = 1_000
const MOST_TIME_IN_ALL = 5_000

/**
 * Facts about the patterns that are not plainly fast; the others are left out. Each is decided within about a second, all of them
 * within some five: what is left then is undecided.
 *
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
  // It takes longer to load than the rest of lint takes to run.
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
    // The checker walks patterns recursively; one that is short enough and still too much for the stack is not worth more.
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
  // Escaped brackets and those in classes count as well: then it is a bit sooner too deep.
  for (const character of pattern) {
    if (character === '(') depth++
    else if (character === ')') depth--
    deepest = Math.max(deepest, depth)
  }
  return deepest > MOST_GROUPS ? `groups are nested more than ${MOST_GROUPS} deep` : undefined
}
