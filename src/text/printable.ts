// A stranger's text → text that cannot control a terminal.
import { escapeUnseen, PLAIN, unseen } from './quote.ts'

// Two characters that join or colour emoji stay inside an emoji. The patterns are created on first use, like the one of unseen
// characters.
const JOINER = '\u{200d}'
const EMOJI_STYLE = '\u{fe0f}'
const emojiBefore = () => /\p{Extended_Pictographic}(?:\p{Emoji_Modifier}|\u{fe0f})?$/u
const pictographBefore = () => /\p{Extended_Pictographic}$/u
const pictographAfter = () => /^\p{Extended_Pictographic}/u
const KEYCAP = /^[0-9#*]\u{fe0f}\u{20e3}/u

/**
 * `text` on one line, with every character that a terminal or a reader would not see written as `\u{…}`, cut to `max` characters (UTF-16
 * code units of the input). Letters, marks and emoji of every script stay.
 */
export function printable(text: string, max = 1000): string {
  if (text.length <= max && PLAIN.test(text)) return text
  const cut = text.length > max ? wholeCharacters(text.slice(0, max)) : text
  const shown = cut.replace(unseen(), (character, at: number) =>
    joinsEmoji(cut, character, at) ? character : `\\u{${character.codePointAt(0)?.toString(16)}}`,
  )
  return cut.length === text.length ? shown : `${shown}… (${text.length - cut.length} more)`
}

/** `text` in double quotes, printable and short: for values inside messages. */
export function quoted(text: string, max = 80): string {
  return `"${printable(text, max)}"`
}

/**
 * A JSON text with the same characters written as JSON's own `\uXXXX`: safe to show, and equal when read. They occur only inside strings,
 * where the escape means the same.
 */
export function printableJson(json: string): string {
  return escapeUnseen(json)
}

function joinsEmoji(text: string, character: string, at: number): boolean {
  // An emoji with its modifier is at most four code units long; the limit keeps this linear.
  const before = text.slice(Math.max(0, at - 4), at)
  if (character === EMOJI_STYLE)
    return pictographBefore().test(before) || KEYCAP.test(text.slice(at - 1, at + 2))
  return (
    character === JOINER && emojiBefore().test(before) && pictographAfter().test(text.slice(at + 1, at + 3))
  )
}

function wholeCharacters(text: string): string {
  const last = text.charCodeAt(text.length - 1)
  return last >= 0xd800 && last <= 0xdbff ? text.slice(0, -1) : text
}
