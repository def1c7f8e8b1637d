// An unknown key and the known ones → the one that was probably meant.
import { editDistance } from './edit-distance.ts'

/** A longer word is not a typing error, and the work grows with the square. */
const LONGEST = 40
/** The most candidates that are compared: a hostile file has a hundred thousand, and asks as often. */
const MOST_CANDIDATES = 300

/** The candidate nearest to `word`; undefined if none is near. `inputSchema` is near to `input_schema`, `timeout` to `timeout_ms`. */
export function probablyMeant(word: string, candidates: Iterable<string>): string | undefined {
  const typed = plainName(word)
  if (typed.length < 2 || word.length > LONGEST) return undefined
  let best: string | undefined
  let least = typed.length < 5 ? 1 : 2
  let left = MOST_CANDIDATES
  for (const candidate of candidates) {
    if (left-- === 0) break
    if (candidate.length > 2 * LONGEST) continue
    const known = plainName(candidate)
    if (known === typed) return candidate
    const distance = typed.length > 2 && known.startsWith(typed) ? 1 : editDistance(typed, known, least)
    if (distance > least || (distance === least && best !== undefined)) continue
    best = candidate
    least = distance
  }
  return best
}

/** In small letters, without hyphens and other signs: what two spellings of one name share. */
export function plainName(word: string): string {
  return word.toLowerCase().replaceAll(/[^a-z0-9]/g, '')
}
