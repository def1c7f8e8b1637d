// JSON text → whether it holds more than a number of values, before they are created: `[{},{},…]` takes three bytes of text and up to a
// hundred bytes of memory for each.

const QUOTE = 34
const COMMA = 44
const BACKSLASH = 92

/**
 * Exact for text that `JSON.parse` accepts. In other text it counts up to the end of the first array or object, as `JSON.parse` would
 * read it; plain text counts as empty. Unlike the strict scan it continues after a problem, for readers that accept repeated keys.
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
      // The first value inside, if there is one.
      if (!closesAfter(text, at)) count++
    } else if ((c === 93 || c === 125) && --depth === 0) break
  }
  return count > most
}

/** Offset of the end of the string that begins at `at`; the end of the text if it never ends. */
export function closingQuote(text: string, at: number): number {
  for (let end = at + 1; end < text.length; end++) {
    const c = text.charCodeAt(end)
    if (c === BACKSLASH) end++
    else if (c === QUOTE) return end
  }
  return text.length
}

/** Space is skipped here and again by the caller: at most twice for each character. */
function closesAfter(text: string, at: number): boolean {
  let next = at + 1
  while (next < text.length && ' \t\r\n'.includes(text.charAt(next))) next++
  const c = text.charCodeAt(next)
  return c === 93 || c === 125
}
