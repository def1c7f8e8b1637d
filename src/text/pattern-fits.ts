// Finds out whether any text can match a pattern at all.
import { PatternProblem, type PatternTree, readPattern } from './pattern-tree.ts'

/**
 * Whether no text matches, because the pattern wants a character before the beginning or after the end: `/^a$/` with its slashes, or `$a`.
 * False if that is not certain: what looks ahead or behind counts as fulfilled.
 * @param pattern one that `checkPattern` has accepted
 */
export function matchesNothing(pattern: string): boolean {
  // Without an anchor or an empty class something always fits.
  if (!/[$^]|\[\]/.test(pattern)) return false
  try {
    return after(readPattern(pattern), AT_START | BEHIND) === 0
  } catch (error) {
    if (error instanceof PatternProblem) return false
    throw error
  }
}

/** Where in a text one can be, as bits: at its beginning or not, and each of the two at its end, where no character may follow. */
const BEHIND = 1
const AT_START = 2
const BEHIND_AT_END = 4
const EMPTY = 8

/** The places that are possible after a part of a pattern, from those that are possible before it. */
function after(tree: PatternTree, places: number): number {
  switch (tree.is) {
    case 'character':
      return (places & (BEHIND | AT_START)) !== 0 && tree.source !== '[]' ? BEHIND : 0
    case 'place':
      if (tree.place === 'start') return places & (AT_START | EMPTY)
      return tree.place === 'end' ? atEnd(places) : places
    case 'look':
      return places
    case 'sequence':
      return tree.parts.reduce((now, part) => after(part, now), places)
    case 'choice':
      return tree.parts.reduce((all, part) => all | after(part, places), 0)
    case 'repeat':
      return repeated(tree, places)
  }
}

function atEnd(places: number): number {
  const behind = (places & (BEHIND | BEHIND_AT_END)) === 0 ? 0 : BEHIND_AT_END
  return behind | ((places & (AT_START | EMPTY)) === 0 ? 0 : EMPTY)
}

/** After two rounds a part leads to no other places than before. */
const MOST_ROUNDS = 2

function repeated({ part, least, most }: PatternTree & { is: 'repeat' }, places: number): number {
  let now = places
  for (let round = 0; round < Math.min(least, MOST_ROUNDS); round++) now = after(part, now)
  if (most <= least) return now
  for (let round = 0; round < MOST_ROUNDS; round++) now |= after(part, now)
  return now
}
