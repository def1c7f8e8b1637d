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

/** The same text, with each character that would not be seen written as `\u0000`: what is hidden is what a reader has to see. */
export function escapeUnseen(text: string): string {
  if (PLAIN.test(text)) return text
  return text.replace(unseen(), character => {
    let escaped = ''
    for (let i = 0; i < character.length; i++)
      escaped += `\\u${character.charCodeAt(i).toString(16).padStart(4, '0')}`
    return escaped
  })
}

/** For a text in which secrets are looked for: a character that is not seen could keep the parts of one apart. */
export function withoutUnseen(text: string): string {
  return PLAIN.test(text) ? text : text.replace(unseen(), '')
}

/** `text` cut to `max` characters, each that would not be seen written as `\u0000`. */
export function shortText(text: string, max = 60): string {
  return escapeUnseen(cut(text, max))
}

/** `text` in double quotes, short, escaped as in JSON. */
export function quoteText(text: string, max = 60): string {
  return escapeUnseen(JSON.stringify(cut(text, max)))
}

function cut(text: string, max: number): string {
  if (text.length <= max) return text
  // Cut first: the text may be megabytes long.
  const characters = [...text.slice(0, 2 * max)]
  const isWhole = characters.length <= max && text.length <= 2 * max
  return isWhole ? text : `${characters.slice(0, max).join('')}…`
}

/** Any value from a document: a text in quotes, else its JSON, short. `String()` would call a `toString` of the value's own. */
export function quoteValue(value: unknown, max = 60): string {
  return typeof value === 'string'
    ? quoteText(value, max)
    : shortText(JSON.stringify(value) ?? 'undefined', max)
}
