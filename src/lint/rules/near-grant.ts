// Finds among entries the one that differs from another by a slip: a typing error, a hyphen for an underscore, a program in another folder.
// Numbers count: api1 is not api2.

import type { Family } from '../../model/policy.ts'
import { capabilityFamily } from '../../policy/families/index.ts'
import { editDistance } from '../../text/edit-distance.ts'

/** Parts of a name that are shorter are rather two names than one and a slip. */
const SHORTEST = 4
/** The most entries that are compared: a person writes no more. */
const MOST = 200

/** @param key the list that both are entries of */
export function nearGrant(key: Family, entry: string, others: readonly string[]): string | undefined {
  const { scope } = capabilityFamily(key)
  return others.slice(0, MOST).find(other => {
    if (other === entry) return false
    if (scope === 'program' && baseName(other) === baseName(entry)) return true
    return scope === 'name' ? plain(other) === plain(entry) || isSlip(entry, other) : isSlip(entry, other)
  })
}

/** Of a secret or a domain the capitals and the signs between the words are easily mistaken. */
function plain(name: string): string {
  return name.toLowerCase().replaceAll(/[^a-z0-9/]/g, '')
}

function baseName(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1)
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
