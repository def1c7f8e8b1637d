// Patterns + a text → the text with a mask over everything that fits one of them.
import type { Range } from '../../model/document.ts'

export const MASK = '***REDACTED***'

/**
 * All matches are looked for in the text as it was, and those that overlap become one mask: masking one pattern after the other leaves the
 * end of a secret standing where another one fits its beginning.
 *
 * @param patterns with the flag `g`
 */
export function maskMatches(text: string, patterns: readonly RegExp[]): string {
  return maskRanges(
    text,
    patterns.flatMap(pattern => matches(text, pattern)),
  )
}

/** The pattern that fits a text and nothing else. */
export function literalPattern(text: string): RegExp {
  return new RegExp(escapePattern(text), 'g')
}

export function escapePattern(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&')
}

function matches(text: string, pattern: RegExp): Range[] {
  return [...text.matchAll(pattern)]
    .map(({ index, 0: found }) => ({ start: index, end: index + found.length }))
    .filter(({ start, end }) => end > start)
}

/** Ranges may overlap and come in any order; those that overlap are one mask. */
export function maskRanges(text: string, found: readonly Range[]): string {
  let masked = ''
  let at = 0
  for (const { start, end } of [...found].sort((a, b) => a.start - b.start || b.end - a.end)) {
    if (start >= at) masked += text.slice(at, start) + MASK
    at = Math.max(at, end)
  }
  return masked + text.slice(at)
}
