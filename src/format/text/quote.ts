// Text from a document → text for a message: short, on one line, without terminal controls.

// Kept as text: for each such pattern in a program the engine builds Unicode tables, and most texts are plain.
const UNSEEN = String.raw`[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}\p{Default_Ignorable_Code_Point}]`

/** Only visible ASCII and spaces: then no other pattern is needed. */
export const PLAIN = /^[\x20-\x7e]*$/

/**
 * Every control, format and bidi character, line and paragraph separator, lone surrogate, and every character that Unicode calls
 * ignorable: zero-width characters, variation selectors, tags, fillers. They move the cursor, reorder a line or hide text.
 */
export function unseen(): RegExp {
  return new RegExp(UNSEEN, 'gu')
}

/** `text` without invisible characters, cut to `max` characters. */
export function shortText(text: string, max = 60): string {
  // Cut first: the text may be megabytes long.
  const head = text.slice(0, 4 * max)
  if (head.length <= max && head.length === text.length && PLAIN.test(head)) return head
  const characters = [...head.replace(unseen(), '')]
  const isWhole = head.length === text.length && characters.length <= max
  return isWhole ? characters.join('') : `${characters.slice(0, max).join('')}…`
}

/** `text` in double quotes, short, with quotes and backslashes escaped as in JSON. */
export function quoteText(text: string, max = 60): string {
  return JSON.stringify(shortText(text, max))
}

/** Any value from a document: a text in quotes, else its JSON, short. `String()` would call a `toString` of the value's own. */
export function quoteValue(value: unknown, max = 60): string {
  return typeof value === 'string'
    ? quoteText(value, max)
    : shortText(JSON.stringify(value) ?? 'undefined', max)
}
