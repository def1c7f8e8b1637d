// A misspelt word and the known words → the known ones that were probably meant.
import { editDistance } from '../text/edit-distance.ts'

/** A longer word is not a typing error, and the table grows with the square. */
const LONGEST = 64

/** The candidates nearest to `word`, best first, at most three. Empty if none is near. A word that begins a candidate counts as near. */
export function nearest(word: string, candidates: Iterable<string>): string[] {
  if (word.length === 0 || word.length > LONGEST) return []
  const typed = word.toLowerCase()
  const limit = typed.length <= 1 ? 0 : typed.length <= 4 ? 1 : typed.length <= 7 ? 2 : 3
  const near: { candidate: string; distance: number }[] = []
  for (const candidate of new Set(candidates)) {
    if (candidate.length > LONGEST) continue
    const known = candidate.toLowerCase()
    const begins = typed.length >= 2 && known.startsWith(typed)
    const distance = begins ? 1 : editDistance(typed, known, limit)
    if (distance <= limit) near.push({ candidate, distance })
  }
  near.sort((a, b) => a.distance - b.distance || (a.candidate < b.candidate ? -1 : 1))
  const best = near[0]?.distance
  return near
    .filter(({ distance }) => distance === best)
    .slice(0, 3)
    .map(({ candidate }) => candidate)
}

/** `Did you mean a, b or c?`; undefined if there is no suggestion. */
export function didYouMean(words: readonly string[]): string | undefined {
  if (words.length === 0) return undefined
  const last = words.at(-1)
  return `Did you mean ${words.length === 1 ? last : `${words.slice(0, -1).join(', ')} or ${last}`}?`
}

/** The flags nearest to the typed one, with dashes; the dashes themselves are not compared. */
export function nearestFlags(typed: string, flags: Iterable<string>): string[] {
  return nearest(typed.replace(/^-+/, ''), flags).map(flag => `--${flag}`)
}
