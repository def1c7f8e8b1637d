// An entry that is not granted + the entries that are → the one that differs by a single typing error. Numbers count: api1 is not api2.
import { editDistance } from '../../format/text/edit-distance.ts'

/** Parts of a name that are shorter are rather two names than one and a slip. */
const SHORTEST = 4
/** The most entries that are compared: a person writes no more. */
const MOST = 200

export function nearGrant(entry: string, granted: readonly string[]): string | undefined {
  return granted.slice(0, MOST).find(other => isSlip(entry, other))
}

function isSlip(a: string, b: string): boolean {
  const [one, other] = [a.split(/[./:]/), b.split(/[./:]/)]
  if (one.length !== other.length) return false
  const differing = one.flatMap((part, index) =>
    part === other[index] ? [] : [[part, other[index] ?? ''] as const],
  )
  const [first] = differing
  if (first === undefined || differing.length > 1) return false
  const [x, y] = first
  const isNumbered = x.replace(/[0-9]/g, '') === y.replace(/[0-9]/g, '')
  return Math.min(x.length, y.length) >= SHORTEST && !isNumbered && editDistance(x, y, 1) === 1
}
