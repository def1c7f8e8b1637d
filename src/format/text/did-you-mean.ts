// An unknown key and the known ones → the one that was probably meant.

/** A longer word is not a typing error, and the work grows with the square. */
const LONGEST = 40
/** The most candidates that are compared: a hostile file has a hundred thousand, and asks as often. */
const MOST_CANDIDATES = 300

/** The candidate nearest to `word`; undefined if none is near. `inputSchema` is near to `input_schema`, `timeout` to `timeout_ms`. */
export function didYouMean(word: string, candidates: Iterable<string>): string | undefined {
  const typed = plain(word)
  if (typed.length < 2 || word.length > LONGEST) return undefined
  let best: string | undefined
  let least = typed.length < 5 ? 1 : 2
  let left = MOST_CANDIDATES
  for (const candidate of candidates) {
    if (left-- === 0) break
    if (candidate.length > 2 * LONGEST) continue
    const known = plain(candidate)
    if (known === typed) return candidate
    const distance = typed.length > 2 && known.startsWith(typed) ? 1 : editDistance(typed, known, least)
    if (distance > least || (distance === least && best !== undefined)) continue
    best = candidate
    least = distance
  }
  return best
}

function plain(word: string): string {
  return word.toLowerCase().replaceAll(/[^a-z0-9]/g, '')
}

/** How many letters have to be inserted, removed, replaced or swapped with their neighbour; one more than `most` if it is more. */
function editDistance(a: string, b: string, most: number): number {
  if (Math.abs(a.length - b.length) > most) return most + 1
  let before: number[] = []
  let last = Array.from({ length: b.length + 1 }, (_, index) => index)
  for (let i = 1; i <= a.length; i++) {
    const row = [i]
    for (let j = 1; j <= b.length; j++) {
      const replaced = cell(last, j - 1) + (a[i - 1] === b[j - 1] ? 0 : 1)
      const swapped =
        i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1] ? cell(before, j - 2) + 1 : replaced
      row.push(Math.min(cell(last, j) + 1, cell(row, j - 1) + 1, replaced, swapped))
    }
    before = last
    last = row
  }
  return cell(last, b.length)
}

function cell(row: readonly number[], index: number): number {
  return row[index] ?? 0
}
