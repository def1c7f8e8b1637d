// Two words → how many typing errors are between them.

/** How many letters have to be inserted, removed, replaced or swapped with their neighbour; `most + 1` if it is more than `most`. */
export function editDistance(a: string, b: string, most: number): number {
  if (Math.abs(a.length - b.length) > most) return most + 1
  let before: number[] = []
  let last = Array.from({ length: b.length + 1 }, (_, index) => index)
  for (let i = 1; i <= a.length; i++) {
    const row = [i]
    for (let j = 1; j <= b.length; j++) {
      const replaced = cell(last, j - 1) + (a[i - 1] === b[j - 1] ? 0 : 1)
      const swapped =
        i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1] ? cell(before, j - 2) + 1 : replaced
      row.push(Math.min(cell(last, j) + 1, cell(row, j - 1) + 1, replaced, swapped))
    }
    before = last
    last = row
  }
  return Math.min(cell(last, b.length), most + 1)
}

function cell(row: readonly number[], index: number): number {
  return row[index] ?? Number.POSITIVE_INFINITY
}
