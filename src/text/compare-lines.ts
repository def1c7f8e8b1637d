// Two texts → the lines that they share, and those that only one of them has.

/** Cells of the table that compares lines; beyond it everything is shown as removed and added. */
const MOST_CELLS = 1_000_000

export interface ComparedLine {
  readonly sign: ' ' | '-' | '+'
  readonly text: string
}

/** A last line without a newline differs from the same line with one. */
export function linesOf(text: string): string[] {
  const lines = text.split('\n')
  const last = lines.pop() ?? ''
  return last === '' ? lines : [...lines, `${last}\n`]
}

export function compareLines(old: readonly string[], now: readonly string[]): ComparedLine[] {
  if (old.length * now.length > MOST_CELLS)
    return [
      ...old.map(text => ({ sign: '-', text }) as const),
      ...now.map(text => ({ sign: '+', text }) as const),
    ]
  const wide = now.length + 1
  // Longest common subsequence of the lines from (i, j) on.
  const longest = new Uint32Array((old.length + 1) * wide)
  const at = (i: number, j: number) => longest[i * wide + j] ?? 0
  for (let i = old.length - 1; i >= 0; i--) {
    for (let j = now.length - 1; j >= 0; j--)
      longest[i * wide + j] = old[i] === now[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1))
  }
  const lines: ComparedLine[] = []
  let i = 0
  let j = 0
  while (i < old.length || j < now.length) {
    if (i < old.length && j < now.length && old[i] === now[j]) {
      lines.push({ sign: ' ', text: old[i] ?? '' })
      i++
      j++
    } else if (i < old.length && (j === now.length || at(i + 1, j) >= at(i, j + 1))) {
      lines.push({ sign: '-', text: old[i++] ?? '' })
    } else lines.push({ sign: '+', text: now[j++] ?? '' })
  }
  return lines
}
