// A parsed value → its size and depth, measured without recursion. Recursive or quadratic work checks them before it starts.
import { atOnce, type Steps } from '../../model/steps.ts'

/** `values` counts everything inside arrays and objects; `depth` is the deepest nesting of arrays and objects. */
export interface Extent {
  readonly values: number
  readonly depth: number
}

export function extent(value: unknown): Extent {
  return atOnce(extentInSteps(value))
}

/** Arrays and objects from one cut to the next. */
const CUT_AFTER = 1000

export function* extentInSteps(value: unknown): Steps<Extent> {
  const open: { readonly container: object; readonly depth: number }[] = []
  let values = 0
  let depth = 0
  const visit = (child: unknown, at: number): void => {
    if (typeof child === 'object' && child !== null) open.push({ container: child, depth: at })
  }
  visit(value, 1)
  let count = 0
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (++count % CUT_AFTER === 0) yield
    depth = Math.max(depth, next.depth)
    const children = Array.isArray(next.container) ? next.container : Object.values(next.container)
    values += children.length
    for (const child of children) visit(child, next.depth + 1)
  }
  return { values, depth }
}

/** Unicode characters: at most as many as code units, and at least half as many. */
export function isLonger(text: string, limit: number): boolean {
  return text.length > limit && (text.length > 2 * limit || [...text].length > limit)
}
