// Two values of parsed documents → whether they are equal. By hand: loading `node:util` for this alone would add 2 ms to every start.
import { isTable, own } from '../model/own.ts'

/** Plain data of bounded depth: scalars, arrays, and tables with their keys in any order. */
export function isSameData(a: unknown, b: unknown): boolean {
  if (Object.is(a, b)) return true
  if (Array.isArray(a))
    return Array.isArray(b) && a.length === b.length && a.every((item, index) => isSameData(item, b[index]))
  if (!isTable(a) || !isTable(b)) return false
  const keys = Object.keys(a)
  return (
    keys.length === Object.keys(b).length &&
    keys.every(key => Object.hasOwn(b, key) && isSameData(own(a, key), own(b, key)))
  )
}
