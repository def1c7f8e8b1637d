// A regular expression → whether its form alone shows that it is fast, so that most patterns need no checker.

/** The most ways in which a plain pattern may match one text. */
const MOST_WAYS = 1_000

/** Spellings of one character: escapes, properties, classes. */
const ESCAPE = /\\(?:[pP]\{[^}]*\}|u\{[^}]*\}|c[A-Za-z]|[\s\S])/g
const CLASS = /\[[^\]]*\]/g
const GROUP = /\((?:\?(?::|<[^=!>][^>]*>))?/g

/**
 * Whether a backtracking matcher needs time that only grows with the text: no repeated groups, and at most one repetition that is
 * unlimited or above a thousand, at the start of the text. A pattern that fails this check can still be fast.
 * @param pattern one that `checkPattern` has accepted
 */
export function isPlainPattern(pattern: string): boolean {
  // References back to a group, and looking ahead or behind.
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
  // Without an anchor a repetition is tried again at every place.
  return endless === 0 || (bare.startsWith('^') && !bare.includes('|'))
}
