// The grants of rlp caps show, one a line: what remains of each, and which tools take something of it.

import { cut, pad, width } from '../cli/render/layout.ts'
import type { Style } from '../cli/render/style.ts'
import { blocks } from '../cli/render/table.ts'
import { withReadableHosts } from '../policy/readable-host.ts'
import { printable } from '../text/printable.ts'
import type { GrantRow, Left } from './table.ts'

/** The widest cell that still lets a table of five columns fit. */
const WIDEST_CELL = 28
/** More hosts or tools of one grant are counted. */
const MOST_NAMES = 3

/** @param overrides how many there are */
export function grantRowLines(
  rows: readonly GrantRow[],
  overrides: number,
  style: Style,
  columns: number,
): string[] {
  if (rows.length === 0) return ['  policy.caps grants nothing']
  const numbers = Array.from({ length: overrides }, (_, index) => String(index + 1))
  const head = ['grant', ...(overrides === 0 ? [] : ['policy.caps', ...numbers, 'effective']), 'tools']
  const effectiveAt = head.indexOf('effective')
  const cells = rows.map(row => [
    printable(grantText(row)),
    ...(overrides === 0 ? [] : ['yes', ...[...row.overrides, row.effective].map(leftText)]),
    toolsText(row),
  ])
  const wide = head.map((text, at) => Math.max(...[text, ...cells.map(row => row[at] ?? '')].map(width)))
  const total = wide.reduce((sum, one) => sum + one + 2)
  if (total > columns) return blocks([head, ...cells], style).map(line => `  ${line}`)
  const line = (row: readonly string[], paint: (text: string, at: number) => string) =>
    `  ${row.map((text, at) => paint(at === row.length - 1 ? text : pad(text, wide[at] ?? 0), at)).join('  ')}`
  return [
    line(head, text => style.dim(text)),
    ...cells.map((row, index) =>
      line(row, (text, at) => (at === effectiveAt ? paintLeft(rows[index]?.effective, text, style) : text)),
    ),
  ]
}

function grantText({ key, entry, hosts }: GrantRow): string {
  if (entry === undefined) return key
  if (hosts !== undefined) return withReadableHosts(`plain http to ${fewOf(hosts)}`)
  return `${key} ${entry === '*' ? 'all' : withReadableHosts(entry)}`
}

function toolsText({ tools }: GrantRow): string {
  if (tools === null) return '?'
  return tools.length === 0 ? 'none' : fewOf(tools.map(id => cut(id, WIDEST_CELL)))
}

function fewOf(names: readonly string[]): string {
  const rest = names.length - MOST_NAMES
  return [...names.slice(0, MOST_NAMES), ...(rest > 0 ? [`${rest} more`] : [])].join(', ')
}

function leftText(left: Left): string {
  switch (left.is) {
    case 'all':
      return 'yes'
    case 'nothing':
      return 'no'
    case 'silent':
      return '-'
    case 'unknown':
      return '?'
    case 'some':
      return cut(left.entries.join(', '), WIDEST_CELL)
  }
}

function paintLeft(left: Left | undefined, text: string, style: Style): string {
  if (left?.is === 'all') return style.green(text)
  return left?.is === 'some' ? style.yellow(text) : style.red(text)
}
