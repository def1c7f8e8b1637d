// Text out of a document → text that may stand inside a message: short, on one line, and nothing in it that steers a terminal.

// A text, because the engine builds tables of Unicode for every such pattern that it reads in a program, and most texts are plain.
const UNSEEN = String.raw`[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}\p{Default_Ignorable_Code_Point}]`

/** Nothing but visible ASCII and spaces: then no other pattern has to be asked. */
export const PLAIN = /^[\x20-\x7e]*$/

/**
 * Every control, format and bidi character, line and paragraph separator, lone surrogate, and all that Unicode calls ignorable:
 * zero-width characters, variation selectors, tags, fillers (DESIGN §3.8). They move the cursor, reorder a line or hide text.
 */
export function unseen(): RegExp {
  return new RegExp(UNSEEN, 'gu')
}

/** `text` without what nobody sees, cut to `max` characters. */
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

/** Any value out of a document: a text in quotes, else its JSON, short. `String()` would call the `toString` that stands in it. */
export function quoteValue(value: unknown, max = 60): string {
  return typeof value === 'string'
    ? quoteText(value, max)
    : shortText(JSON.stringify(value) ?? 'undefined', max)
}
