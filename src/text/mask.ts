// A text and ranges of it → the text with a mask over each.
import type { Range } from '../model/document.ts'

export const MASK = '***REDACTED***'

export function escapePattern(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&')
}

/** Ranges may overlap and come in any order; overlapping ones get one mask. */
export function maskRanges(text: string, found: readonly Range[]): string {
  let masked = ''
  let at = 0
  for (const { start, end } of [...found].sort((a, b) => a.start - b.start || b.end - a.end)) {
    if (start >= at) masked += text.slice(at, start) + MASK
    at = Math.max(at, end)
  }
  return masked + text.slice(at)
}
