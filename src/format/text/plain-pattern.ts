// A regular expression → whether it is plainly fast: judged by its form alone, so that most patterns need no checker.

/** Ways in which a plain pattern may fit one and the same text. */
const MOST_WAYS = 1_000

/** What stands for one character: escapes, properties, classes. */
const ESCAPE = /\\(?:[pP]\{[^}]*\}|u\{[^}]*\}|c[A-Za-z]|[\s\S])/g
const CLASS = /\[[^\]]*\]/g
const GROUP = /\((?:\?(?::|<[^=!>][^>]*>))?/g

/**
 * Whether a matcher that tries one way after the other, as most do, needs time that only grows with the text: no repeated groups, at
 * most one repetition without end or of more than a thousand, and that from the start of the text. What this says no to can still be fast.
 *
 * @param pattern one that `checkPattern` has accepted
 */
export function isPlainPattern(pattern: string): boolean {
  // References back to a group, and what looks ahead or behind.
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
  // Without an anchor a repetition is tried again from every place.
  return endless === 0 || (bare.startsWith('^') && !bare.includes('|'))
}
