// Matches a regular expression in time that grows at most with the product of pattern and text. The engine's own matcher backtracks, and for some
// texts that takes forever. A pattern whose form alone shows that it is fast needs no program.
import { type PatternWork, patternProgram, type Undecided } from './kept-patterns.ts'
import type { PatternProgram, PatternStep } from './pattern-program.ts'
import type { PatternPlace } from './pattern-tree.ts'

export type PatternMatch = { readonly decided: true; readonly found: boolean } | Undecided

/** A plain pattern on a text up to this length is left to the engine; UTF-16 code units. */
const PLAIN_LENGTH = 100_000
/** Steps for one text, or for all texts of one value: about a second. */
export const MOST_WORK = 20_000_000

/**
 * Whether a pattern, read with the `u` flag, matches anywhere in a text. Agrees with `RegExp` whenever it decides.
 * @param pattern one that `checkPattern` has accepted
 * @param work remaining work, counted down: shared by several texts, it bounds them together
 */
export function matchPattern(
  pattern: string,
  text: string,
  work: PatternWork = { left: MOST_WORK },
): PatternMatch {
  const isPlain = isPlainPattern(pattern)
  if (isPlain && text.length <= PLAIN_LENGTH) {
    work.left -= text.length
    if (work.left < 0) return TOO_LONG
    return { decided: true, found: new RegExp(pattern, 'u').test(text) }
  }
  const program = patternProgram(pattern, work)
  if ('why' in program) return isPlain ? TOO_LONG : program
  const found = occurs(program, text, 0, true, work)
  return work.left >= 0 ? { decided: true, found } : TOO_LONG
}

const TOO_LONG: Undecided = { decided: false, fault: 'text', why: 'the text is too long for it' }

/**
 * Follows all alternatives at once, character by character: no pair of place and step is visited twice.
 * @param anywhere whether a match may also begin after `from`
 * @param work counted down; below zero the answer means nothing
 */
function occurs(
  { steps, start, ahead }: PatternProgram,
  text: string,
  from: number,
  anywhere: boolean,
  work: PatternWork,
): boolean {
  // Looking ahead or behind starts again at every place.
  work.left -= steps.length
  const seen = new Int32Array(steps.length).fill(-1)
  const first = steps[start]
  const fromStart = first?.is === 'place' && first.place === 'start'
  const waiting = [start]
  const readers: PatternReader[] = []
  let at = from
  for (let round = 0; work.left >= 0; round++) {
    readers.length = 0
    // First the steps that read nothing, up to those that need a character.
    for (let id = waiting.pop(); id !== undefined; id = waiting.pop()) {
      const step = steps[id]
      if (step === undefined || seen[id] === round) continue
      seen[id] = round
      if (work.left-- < 0) return false
      if (step.is === 'character') readers.push(step)
      else if (step.is === 'fork') for (const next of step.next) waiting.push(next)
      else if (step.is === 'found') return true
      else if (step.is === 'place') {
        if (isAt(step.place, text, at)) waiting.push(step.next)
      } else if (occurs(step.program, text, at, false, work) !== step.negated) waiting.push(step.next)
    }
    const character = ahead ? text.codePointAt(at) : characterBefore(text, at)
    if (character === undefined) return false
    for (const { fits, next } of readers) if (fits(character)) waiting.push(next)
    if (anywhere && !fromStart) waiting.push(start)
    else if (waiting.length === 0) return false
    const width = character > 0xffff ? 2 : 1
    at += ahead ? width : -width
  }
  return false
}

type PatternReader = PatternStep & { readonly is: 'character' }

function characterBefore(text: string, at: number): number | undefined {
  if (at === 0) return undefined
  const pair = at > 1 ? text.codePointAt(at - 2) : undefined
  return pair !== undefined && pair > 0xffff ? pair : text.charCodeAt(at - 1)
}

export function isAt(place: PatternPlace, text: string, at: number): boolean {
  if (place === 'start') return at === 0
  if (place === 'end') return at === text.length
  const isBoundary = isWord(text.charCodeAt(at - 1)) !== isWord(text.charCodeAt(at))
  return isBoundary === (place === 'boundary')
}

/** Also for NaN, which means "outside the text". */
function isWord(unit: number): boolean {
  return (
    (unit >= 48 && unit <= 57) || (unit >= 65 && unit <= 90) || unit === 95 || (unit >= 97 && unit <= 122)
  )
}

/** The most ways in which a plain pattern may match one text. */
const MOST_WAYS = 1_000

/** Spellings of one character: escapes, properties, classes. */
const ESCAPE = /\\(?:[pP]\{[^}]*\}|u\{[^}]*\}|c[A-Za-z]|[\s\S])/g
const CLASS = /\[[^\]]*\]/g
const GROUP = /\((?:\?(?::|<[^=!>][^>]*>))?/g

/**
 * Whether a backtracking matcher needs time that only grows with the text: no repeated groups, and at most one repetition that is
 * unlimited or above a thousand, at the start of the text. A pattern that fails this check can still be fast.
 * @param pattern one that `checkPattern` has accepted
 */
export function isPlainPattern(pattern: string): boolean {
  // References back to a group, and looking ahead or behind.
  if (/\\(?:[1-9]|k<)|\(\?<?[=!]/.test(pattern)) return false
  const bare = pattern.replace(ESCAPE, 'x').replace(CLASS, 'x').replace(GROUP, '(')
  if (/\)[*+{]/.test(bare)) return false
  let ways = 1
  let endless = 0
  for (const [whole, least, comma, most] of bare.matchAll(/[*+?|]|\{([0-9]+)(,?)([0-9]*)\}/g)) {
    if (whole === '*' || whole === '+' || (comma === ',' && most === '')) endless++
    else if (comma === ',' && Number(most) - Number(least) >= MOST_WAYS) endless++
    else if (comma === ',') ways *= 1 + Number(most) - Number(least)
    else if (whole === '?' || whole === '|') ways *= 2
  }
  if (ways > MOST_WAYS || endless > 1) return false
  // Without an anchor a repetition is tried again at every place.
  return endless === 0 || (bare.startsWith('^') && !bare.includes('|'))
}
