// A text of others → a code span of Markdown.
import { printable } from './printable.ts'

const LONGEST_TEXT = 200

/** A code span that its own text cannot end: one more backtick than the longest run inside (CommonMark 6.1). */
export function codeSpan(text: string, max = LONGEST_TEXT): string {
  const shown = printable(text, max)
  if (shown === '') return '` `'
  const longest = Math.max(0, ...(shown.match(/`+/g) ?? []).map(run => run.length))
  const fence = '`'.repeat(longest + 1)
  return longest === 0 && !/^ | $/.test(shown) ? `${fence}${shown}${fence}` : `${fence} ${shown} ${fence}`
}
