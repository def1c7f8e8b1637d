// Rows of cells → aligned columns.
import { printable } from '../../format/text/printable.ts'
import type { Style } from './style.ts'
import { pad, width } from './wrap.ts'

const BETWEEN = ' | '

/** Lines without newlines; cells are made printable. The last column is not padded. */
export function table(head: readonly string[], rows: readonly (readonly string[])[], style: Style): string[] {
  const shown = [head, ...rows].map(row => row.map(cell => printable(cell)))
  const widths = head.map((_, column) => Math.max(...shown.map(row => width(row[column] ?? ''))))
  const lines = shown.map(row =>
    row
      .map((cell, column) => (column === row.length - 1 ? cell : pad(cell, widths[column] ?? 0)))
      .join(BETWEEN)
      .trimEnd(),
  )
  const [first = '', ...rest] = lines
  return [style.bold(first), ...rest]
}
