// A place in a text → the lines around it, with a mark under it. Bounded: a minified file is one line of megabytes.

import { width } from '../cli/render/layout.ts'
import type { Style } from '../cli/render/style.ts'
import { printable } from '../text/printable.ts'

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

/** A text with the places where its lines begin: read once for all of its findings. */
export interface FramedText {
  readonly text: string
  readonly starts: readonly number[]
}

export function framed(text: string): FramedText {
  const starts = [0]
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) starts.push(at + 1)
  return { text, starts }
}

/** The code frame of a finding, one string a line, indented by two spaces; empty when the text has no such line. */
export function codeFrame(framed: FramedText, place: Place, style: Style, columns: number): string[] {
  const lines = linesAround(framed, place.line)
  const gutter = String(place.line + AROUND).length
  const most = Math.max(20, Math.min(MOST_COLUMNS, columns - gutter - BESIDE))
  return lines.flatMap(({ number, start, end: lineEnd }) => {
    // A tab is one column to an editor's count and eight to a terminal: shown as one, so that the mark is in the right place.
    const part = (from: number, to: number) =>
      framed.text.slice(start + from, Math.min(start + to, lineEnd)).replaceAll('\t', ' ')
    const isMarked = number === place.line
    const from = Math.max(0, isMarked ? place.column - 1 - Math.floor(most / 2) : 0)
    const cut = part(from, from + most)
    const head = `  ${isMarked ? '>' : ' '} ${String(number).padStart(gutter)} │ `
    const line = `${style.dim(head)}${printable(cut)}`.trimEnd()
    if (!isMarked) return [line]
    const before = width(printable(part(from, place.column - 1)))
    const end = place.endLine === place.line ? (place.endColumn ?? place.column) : lineEnd - start + 1
    const marked = part(place.column - 1, Math.min(Math.max(end - 1, place.column), from + most))
    const mark = '^'.repeat(Math.max(1, place.endLine === undefined ? 1 : width(printable(marked))))
    return [line, `${style.dim(`  ${' '.repeat(gutter + 2)} │ `)}${' '.repeat(before)}${style.red(mark)}`]
  })
}

/** The lines without what ends them; those beside the wanted one only if something is on them. */
function linesAround(
  { text, starts }: FramedText,
  wanted: number,
): { number: number; start: number; end: number }[] {
  const found: { number: number; start: number; end: number }[] = []
  for (let number = Math.max(1, wanted - AROUND); number <= wanted + AROUND; number++) {
    const start = starts[number - 1]
    if (start === undefined) break
    const newline = (starts[number] ?? text.length + 1) - 1
    const end = newline > start && text[newline - 1] === '\r' ? newline - 1 : newline
    if (number === wanted || /\S/.test(text.slice(start, end))) found.push({ number, start, end })
  }
  return found
}
