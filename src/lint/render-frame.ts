// A place in a text → the lines around it, with a mark under it. Bounded: a minified file is one line of megabytes.

import type { Style } from '../cli/render/style.ts'
import { width } from '../cli/render/wrap.ts'
import { printable } from '../format/text/printable.ts'

const AROUND = 1
const MOST_COLUMNS = 96
/** What is beside the number of a line. */
const BESIDE = '  >  │ '.length

interface Place {
  /** 1-based. */
  readonly line: number
  readonly column: number
  readonly endLine?: number
  readonly endColumn?: number
}

/** The code frame of a finding, one string a line, indented by two spaces; empty when the text has no such line. */
export function codeFrame(text: string, place: Place, style: Style, columns: number): string[] {
  const lines = linesAround(text, place.line)
  const gutter = String(place.line + AROUND).length
  const most = Math.max(20, Math.min(MOST_COLUMNS, columns - gutter - BESIDE))
  return lines.flatMap(({ number, content }) => {
    const isMarked = number === place.line
    const from = Math.max(0, isMarked ? place.column - 1 - Math.floor(most / 2) : 0)
    const cut = content.slice(from, from + most)
    const head = `  ${isMarked ? '>' : ' '} ${String(number).padStart(gutter)} │ `
    const line = `${style.dim(head)}${printable(cut)}`.trimEnd()
    if (!isMarked) return [line]
    const before = width(printable(content.slice(from, place.column - 1)))
    const end = place.endLine === place.line ? (place.endColumn ?? place.column) : content.length + 1
    const marked = content.slice(place.column - 1, Math.min(Math.max(end - 1, place.column), from + most))
    const mark = '^'.repeat(Math.max(1, place.endLine === undefined ? 1 : width(printable(marked))))
    return [line, `${style.dim(`  ${' '.repeat(gutter + 2)} │ `)}${' '.repeat(before)}${style.red(mark)}`]
  })
}

function linesAround(text: string, wanted: number): { number: number; content: string }[] {
  const found: { number: number; content: string }[] = []
  let start = 0
  for (let number = 1; number <= wanted + AROUND && start <= text.length; number++) {
    const newline = text.indexOf('\n', start)
    const end = newline === -1 ? text.length : newline
    if (number >= wanted - AROUND) {
      // A tab is one column to an editor's count and eight to a terminal: shown as one, so that the mark is in the right place.
      found.push({ number, content: text.slice(start, end).replace(/\r$/, '').replaceAll('\t', ' ') })
    }
    if (newline === -1) break
    start = end + 1
  }
  return found.filter(({ number, content }) => number === wanted || content.trim() !== '')
}
