// Text out of a document → text that may stand inside a message: short, on one line, and nothing in it that steers a terminal.

/**
 * Controls, format and bidi characters, separators, lone surrogates, and what Unicode calls ignorable (DESIGN §3.8). A text, because the
 * engine builds tables of Unicode for every such pattern that it reads in a program, and most texts are plain.
 */
const UNSEEN = String.raw`[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}\p{Default_Ignorable_Code_Point}]`
const PLAIN = /^[\x20-\x7e]*$/

/** `text` without what nobody sees, cut to `max` characters. */
export function shortText(text: string, max = 60): string {
  // Cut first: the text may be megabytes long.
  const head = text.slice(0, 4 * max)
  if (head.length <= max && head.length === text.length && PLAIN.test(head)) return head
  const characters = [...head.replace(new RegExp(UNSEEN, 'gu'), '')]
  const isWhole = head.length === text.length && characters.length <= max
  return isWhole ? characters.join('') : `${characters.slice(0, max).join('')}…`
}

/** `text` in double quotes, short, with quotes and backslashes escaped as in JSON. */
export function quoteText(text: string, max = 60): string {
  return JSON.stringify(shortText(text, max))
}
