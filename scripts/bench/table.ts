// Rows → the table that is printed, and its last line.
import type { Row } from './row.ts'

const HEADS = {
  what: 'what',
  rlp: 'rlp',
  against: 'against',
  result: 'result',
  reach: 'reach',
  word: '',
} as const
type Line = Readonly<Record<keyof typeof HEADS, string>>

/** @param groups the rows of each, which an empty line sets apart */
export function table(groups: readonly (readonly Row[])[]): string {
  const lines = groups.map(rows => rows.map((row): Line => ({ ...row, word: word(row) })))
  const columns = Object.keys(HEADS) as (keyof Line)[]
  const measured = groups.flatMap((rows, group) =>
    rows.flatMap((row, index) => (row.isMissing ? [] : [lines[group]?.[index] ?? HEADS])),
  )
  const wide = new Map(
    columns.map(column => [column, Math.max(...[HEADS, ...measured].map(line => line[column].length))]),
  )
  const print = (line: Line) =>
    columns
      .map(column => line[column].padEnd(wide.get(column) ?? 0))
      .join('  ')
      .trimEnd()
  return [[HEADS], ...lines].map(part => part.map(print).join('\n')).join('\n\n')
}

function word({ isMet }: Row): string {
  return isMet === undefined ? '' : isMet ? 'met' : 'MISSED'
}

/** `21 of 24 reaches met`, and what is not among them. */
export function tally(rows: readonly Row[]): string {
  const promised = rows.filter(({ isMet }) => isMet !== undefined)
  const missing = rows.filter(({ isMissing }) => isMissing).length
  return [
    `${promised.filter(({ isMet }) => isMet).length} of ${promised.length} reaches met`,
    ...(missing > 0 ? [`${missing} not measured`] : []),
  ].join(', ')
}
