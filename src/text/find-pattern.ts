// A pattern's steps and a text → where it matches. All alternatives are followed at once, as in match-pattern.ts, so that no text takes
// forever.
import type { Range } from '../model/document.ts'
import { isAt, MOST_WORK } from './match-pattern.ts'
import type { PatternProgram } from './pattern-program.ts'

/**
 * The longest match at the first place that has one, and on from its end.
 * @param program one that neither looks ahead nor behind
 * @returns undefined if that takes too long
 */
export function findPattern(program: PatternProgram, text: string): readonly Range[] | undefined {
  const found: Range[] = []
  const work = { left: MOST_WORK }
  for (let start = 0; start <= text.length; ) {
    const end = longestFrom(program, text, start, work)
    if (work.left < 0) return undefined
    if (end > start) found.push({ start, end })
    // The second half of a pair begins nothing.
    start = Math.max(end, start + ((text.codePointAt(start) ?? 0) > 0xffff ? 2 : 1))
  }
  return found
}

/** The end of the longest match that begins there; -1 if none does. */
function longestFrom(
  { steps, start }: PatternProgram,
  text: string,
  from: number,
  work: { left: number },
): number {
  let end = -1
  let waiting = new Set([start])
  for (let at = from; waiting.size > 0 && work.left >= 0; ) {
    const character = text.codePointAt(at)
    const next = new Set<number>()
    // What is added while it runs is visited as well, and nothing twice.
    for (const id of waiting) {
      const step = steps[id]
      work.left--
      if (step?.is === 'found') end = at
      else if (step?.is === 'fork') for (const one of step.next) waiting.add(one)
      else if (step?.is === 'place' && isAt(step.place, text, at)) waiting.add(step.next)
      else if (step?.is === 'character' && character !== undefined && step.fits(character))
        next.add(step.next)
    }
    waiting = next
    at += character !== undefined && character > 0xffff ? 2 : 1
  }
  return end
}
