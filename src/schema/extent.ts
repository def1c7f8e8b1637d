// A parsed value → its size and depth, measured without recursion. Recursive or quadratic work checks them before it starts.

/** `values` counts everything inside arrays and objects; `depth` is the deepest nesting of arrays and objects. */
export interface Extent {
  readonly values: number
  readonly depth: number
}

export function extent(value: unknown): Extent {
  // Two lists in place of one of pairs: there is one entry for every array and object of a document.
  const open: object[] = []
  const depths: number[] = []
  let values = 0
  let depth = 0
  if (typeof value === 'object' && value !== null) {
    open.push(value)
    depths.push(1)
  }
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const at = depths.pop() ?? 0
    if (at > depth) depth = at
    const children = Array.isArray(next) ? next : Object.values(next)
    values += children.length
    for (const child of children) {
      if (typeof child !== 'object' || child === null) continue
      open.push(child)
      depths.push(at + 1)
    }
  }
  return { values, depth }
}
