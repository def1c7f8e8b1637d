// Rows of cells → aligned columns.
import { printable } from '../../text/printable.ts'
import { pad, width } from './layout.ts'
import type { Style } from './style.ts'

const BETWEEN = ' | '

/**
 * Lines without newlines; cells are made printable. The last column is not padded.
 * @param columns of a terminal: where the columns of the table do not fit into them, each row is a block with one line for each cell
 */
export function table(
  head: readonly string[],
  rows: readonly (readonly string[])[],
  style: Style,
  columns = Number.POSITIVE_INFINITY,
): string[] {
  const shown = [head, ...rows].map(row => row.map(cell => printable(cell)))
  const widths = head.map((_, column) => Math.max(...shown.map(row => width(row[column] ?? ''))))
  const lines = shown.map(row =>
    row
      .map((cell, column) => (column === row.length - 1 ? cell : pad(cell, widths[column] ?? 0)))
      .join(BETWEEN)
      .trimEnd(),
  )
  if (lines.some(line => width(line) > columns)) return blocks(shown, style)
  const [first = '', ...rest] = lines
  return [style.bold(first), ...rest]
}

/** The first cell, and below it the others with the names of their columns. */
export function blocks([head = [], ...rows]: readonly (readonly string[])[], style: Style): string[] {
  return rows.flatMap(([first = '', ...cells]) => [
    style.bold(first),
    ...cells.map((cell, at) => `  ${head[at + 1] ?? ''}: ${cell}`),
  ])
}
