// Text → lines that fit a terminal, measured in its columns.
import { printable } from '../../text/printable.ts'
import { stringWidth } from './text-width.ts'

/** Printable ASCII and the signs of ours: one column each. */
const PLAIN = /^[ -~\u2713\u2717\u2192\u2026]*$/

/** Columns of `text`; colour codes take none. */
export function width(text: string): number {
  return PLAIN.test(text) ? text.length : stringWidth(text)
}

/** `text` followed by spaces up to `columns`. */
export function pad(text: string, columns: number): string {
  return text + ' '.repeat(Math.max(0, columns - width(text)))
}

/** A stranger's text made printable, so without colour codes, and cut to at most `columns`. */
export function cut(stranger: string, columns: number): string {
  const text = printable(stranger)
  if (width(text) <= columns) return text
  let shown = ''
  let used = 0
  // By visible characters: half an emoji has a width of its own.
  for (const { segment } of new Intl.Segmenter().segment(text)) {
    used += width(segment)
    if (used > columns - 1) break
    shown += segment
  }
  return `${shown.trimEnd()}…`
}

/** Lines of at most `columns`, broken at spaces. A longer word stays whole, so that paths and commands can be copied. */
export function wrap(text: string, columns: number): string[] {
  const lines: string[] = []
  let line = ''
  let used = 0
  for (const word of text.split(/\s+/).filter(Boolean)) {
    const wide = width(word)
    if (used > 0 && used + 1 + wide > columns) {
      lines.push(line)
      line = ''
      used = 0
    }
    line += used === 0 ? word : ` ${word}`
    used += used === 0 ? wide : wide + 1
  }
  if (used > 0) lines.push(line)
  return lines
}

/** Less room beside a label, and its text goes below it. */
const LEAST_BESIDE = 28
const BELOW = 4

/** A label of `at` columns, with a text beside it where there is room for one. Colour codes in the label take no columns. */
export function beside(label: string, text: string, at: number, columns: number): string[] {
  if (columns - at < LEAST_BESIDE) {
    const lines = wrap(text, columns - BELOW).map(line => ' '.repeat(BELOW) + line)
    return label.trim() === '' ? lines : [label.trimEnd(), ...lines]
  }
  const [first = '', ...rest] = wrap(text, columns - at)
  return [label + first, ...rest.map(line => ' '.repeat(at) + line)]
}
