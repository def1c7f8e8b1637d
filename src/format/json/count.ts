// JSON text → whether it holds more than so many values, before anything is built of them: `[{},{},…]` takes three bytes of text and up to
// a hundred bytes of memory for each.

const QUOTE = 34
const COMMA = 44
const BACKSLASH = 92

/**
 * Exact for text that `JSON.parse` accepts. Of other text it counts up to the end of the first array or object, as `JSON.parse` would read it;
 * plain text holds nothing. Unlike the strict scan it goes on after a problem, for readers that take a key that stands twice.
 */
export function holdsMoreValues(text: string, most: number): boolean {
  if (!/^[ \t\r\n]*[[{]/.test(text)) return false
  let count = 1
  let depth = 0
  for (let at = 0; at < text.length && count <= most; at++) {
    const c = text.charCodeAt(at)
    if (c === QUOTE) at = closingQuote(text, at)
    else if (c === COMMA) count++
    else if (c === 91 || c === 123) {
      depth++
      // The first value in it, if there is one.
      if (!closesAfter(text, at)) count++
    } else if ((c === 93 || c === 125) && --depth === 0) break
  }
  return count > most
}

/** Where the string ends that begins at `at`; the end of the text if it never does. */
export function closingQuote(text: string, at: number): number {
  for (let end = at + 1; end < text.length; end++) {
    const c = text.charCodeAt(end)
    if (c === BACKSLASH) end++
    else if (c === QUOTE) return end
  }
  return text.length
}

/** Space is skipped here and by the caller again: at most twice for one character. */
function closesAfter(text: string, at: number): boolean {
  let next = at + 1
  while (next < text.length && ' \t\r\n'.includes(text.charAt(next))) next++
  const c = text.charCodeAt(next)
  return c === 93 || c === 125
}
