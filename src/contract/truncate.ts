// Text that is too long for a model → its beginning and its end, counted in code points (docs/contract.md,
// "Too long").

/** Cap in code points for a tool's text, for its stderr, and for a whole answer before its envelope. */
export const MAX_TEXT_CHARS = 50_000
export const MAX_STDERR_CHARS = 10_000
export const MAX_RESULT_CHARS = 100_000

/** Share of the cap for the beginning. Less than half, because programs print errors at the end. */
const HEAD_SHARE = 0.4

/**
 * The same text up to the cap; else its first four tenths, a line that says how much is missing, and its end. The line comes on top of
 * the cap. Counts code points and never splits a surrogate pair.
 *
 * @param maxChars code points; at least 1
 *
 * @example
 * const stdout = 'line\n'.repeat(100_000)
 * textSuccess('shell_run', truncateForModel(stdout))
 */
export function truncateForModel(text: string, maxChars: number = MAX_TEXT_CHARS): string {
  return cutText(text, maxChars, HEAD_SHARE)
}

/** The same with another share of the cap for the beginning. */
export function cutText(text: string, maxChars: number, headShare: number): string {
  // A text never has more code points than code units.
  if (text.length <= maxChars) return text
  const total = codePointsUpTo(text, text.length)
  if (total <= maxChars) return text
  const headChars = Math.floor(maxChars * headShare)
  const head = text.slice(0, unitsOf(text, headChars))
  const tail = text.slice(unitsOf(text, total - (maxChars - headChars)))
  const omitted = total - maxChars
  return `${head}\n\n... [output truncated — ${omitted} chars omitted out of ${total} total] ...\n\n${tail}`
}

/** Code points in the first `units` code units of a text. */
export function codePointsUpTo(text: string, units: number): number {
  let count = 0
  for (let at = 0; at < units; at++) {
    count++
    if (isPairAt(text, at)) at++
  }
  return count
}

/** Code units of the first `chars` code points. */
function unitsOf(text: string, chars: number): number {
  let at = 0
  for (let left = chars; left > 0; left--) at += isPairAt(text, at) ? 2 : 1
  return at
}

function isPairAt(text: string, at: number): boolean {
  const unit = text.charCodeAt(at)
  if (unit < 0xd800 || unit > 0xdbff) return false
  const next = text.charCodeAt(at + 1)
  return next >= 0xdc00 && next <= 0xdfff
}
