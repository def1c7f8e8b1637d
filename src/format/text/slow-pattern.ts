// Regular expressions → how the time to match them grows with the text. The only file that loads the checker, and only for patterns that
// are not plain. It uses only the checker's JavaScript part, which starts no other program.
import type { Diagnostics } from 'recheck'
import type { Steps } from '../../model/steps.ts'
import { isPlainPattern } from './plain-pattern.ts'
import { type StepClock, stepClock } from './step-clock.ts'

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
/**
 * Milliseconds for one pattern, and for all of one call, on a clock that counts steps: a busy machine gives the same answer as an idle
 * one. A real millisecond is about as long.
 */
const MOST_TIME = 1_000
const MOST_TIME_IN_ALL = 5_000
/** Steps in a millisecond. The checker looks at the clock seldom while it builds automata, and often while it tries texts. */
const BUILDING = 25
const TRYING = 1_000
/** It writes this into its log between the two. */
const BUILT = 'fuzz: seeding finish'
/** Milliseconds of processor time behind the steps, for one pattern, and for all of one call. */
const MOST_PROCESSOR_TIME = 3_000
const MOST_PROCESSOR_TIME_IN_ALL = 8_000

/**
 * Facts about the patterns that are not plain; the others are left out. Each has about a second, and all together about five: of these
 * each has its own share, so that no pattern leaves another one undecided. The work can be cut between two patterns.
 * @param patterns which `checkPattern` has accepted
 * @param most milliseconds for all of them
 */
export async function judgePatterns(
  patterns: Iterable<string>,
  most = MOST_TIME_IN_ALL,
): Promise<Steps<Map<string, PatternFact>>> {
  const facts = new Map<string, PatternFact>()
  const open: string[] = []
  for (const pattern of new Set(patterns)) {
    const why = isPlainPattern(pattern) ? undefined : tooMuch(pattern)
    if (why !== undefined) facts.set(pattern, { is: 'undecided', why })
    else if (!isPlainPattern(pattern)) open.push(pattern)
  }
  // Loading it takes longer than the rest of lint.
  return open.length === 0 ? known(facts) : judged(open, facts, await loadChecker(), most)
}

// biome-ignore lint/correctness/useYield: nothing is left to do.
function* known<T>(value: T): Steps<T> {
  return value
}

function* judged(
  open: readonly string[],
  facts: Map<string, PatternFact>,
  check: Check,
  most: number,
): Steps<Map<string, PatternFact>> {
  let [left, processorLeft] = [most, MOST_PROCESSOR_TIME_IN_ALL]
  for (const [index, pattern] of open.entries()) {
    yield
    const share = Math.min(MOST_TIME, Math.floor(left / (open.length - index)))
    if (share < 1 || processorLeft <= 0) {
      facts.set(pattern, LATE)
      continue
    }
    const clock = stepClock(Math.min(MOST_PROCESSOR_TIME, processorLeft))
    facts.set(pattern, factFrom(check, pattern, share, clock))
    left -= Math.min(share, clock.passed())
    processorLeft -= clock.spent()
  }
  return facts
}

const LATE: PatternFact = { is: 'undecided', why: 'there are too many patterns for the time there is' }

type Check = (
  source: string,
  flags: string,
  options: { readonly timeout: number; readonly logger: (message: string) => void },
) => Diagnostics

async function loadChecker(): Promise<Check> {
  const checker = await import('recheck/lib/browser.js')
  const checkSync = checker.checkSync ?? checker.default?.checkSync
  if (checkSync === undefined) throw new TypeError('the checker of patterns has another form than it had')
  return checkSync
}

function factFrom(check: Check, pattern: string, timeout: number, clock: StepClock): PatternFact {
  const logger = (message: string) => {
    if (message.includes(BUILT)) clock.pace(TRYING)
  }
  let found: Diagnostics
  try {
    clock.pace(BUILDING)
    found = clock.during(() => check(pattern, 'u', { timeout, logger }))
  } catch (error) {
    // The checker walks patterns recursively; a short one that still overflows the stack stays undecided.
    if (!(error instanceof RangeError)) throw error
    return { is: 'undecided', why: 'it is too complex' }
  }
  if (found.status === 'safe') return { is: 'fast' }
  if (found.status === 'unknown')
    return {
      is: 'undecided',
      why: found.error.kind === 'timeout' ? 'that would take too long' : 'it is too complex',
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
