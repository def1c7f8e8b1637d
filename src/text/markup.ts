// Escapes text for the markup that reports are written in: XML and Markdown.
import { own } from '../model/own.ts'
import { printable } from './printable.ts'

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
}

/** XML takes no control characters, not even as entities. */
export function xmlText(text: string): string {
  return printable(text).replace(/[&<>"]/g, found => own(ENTITIES, found) ?? found)
}

const LONGEST_TEXT = 200

/** A code span that its own text cannot end: one more backtick than the longest run inside (CommonMark 6.1). */
export function codeSpan(text: string, max = LONGEST_TEXT): string {
  const shown = printable(text, max)
  if (shown === '') return '` `'
  const longest = Math.max(0, ...(shown.match(/`+/g) ?? []).map(run => run.length))
  const fence = '`'.repeat(longest + 1)
  return longest === 0 && !/^ | $/.test(shown) ? `${fence}${shown}${fence}` : `${fence} ${shown} ${fence}`
}
