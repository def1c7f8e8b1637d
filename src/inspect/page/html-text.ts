// A text of a bundle → HTML in which it can only be text.
import { printable } from '../../text/printable.ts'
import type { Part } from './page.ts'

/** A longer text does not help to decide; `--json` has all of it. */
const LONGEST = 300

const ESCAPES = new Map([
  ['&', '&amp;'],
  ['<', '&lt;'],
  ['>', '&gt;'],
  ['"', '&quot;'],
  ["'", '&#39;'],
])

/** Text for an element or an attribute in double quotes, with nothing in it that is invisible or turns the reading direction. */
export function escaped(text: string, max = LONGEST): string {
  return printable(text, max).replace(/[&<>"']/g, character => ESCAPES.get(character) ?? '')
}

/** Words of ours as they are, a bundle's text set apart from them. */
export function wordsHtml(words: readonly Part[]): string {
  return words
    .map(part => (typeof part === 'string' ? escaped(part) : `<code><bdi>${escaped(part.text)}</bdi></code>`))
    .join('')
}
