// A text + replacements of ranges → the new text, or undefined if replacements overlap.
import type { Range } from '../model/document.ts'

/** `text` replaces `range`, which is empty for an insertion. */
export interface Splice {
  readonly range: Range
  readonly text: string
  /** Order of insertions at one place; lower comes first. */
  readonly rank?: number
}

/** Applies all at once. Insertions go before a replacement at the same place; equal ones keep their order. */
export function applySplices(text: string, splices: readonly Splice[]): string | undefined {
  const sorted = [...splices].sort(
    (a, b) => a.range.start - b.range.start || a.range.end - b.range.end || (a.rank ?? 0) - (b.rank ?? 0),
  )
  const out: string[] = []
  let done = 0
  for (const { range, text: replacement } of sorted) {
    if (range.start < done) return undefined
    out.push(text.slice(done, range.start), replacement)
    done = range.end
  }
  out.push(text.slice(done))
  return out.join('')
}
