// A value + a schema → whether the value has the schema's type. No other keyword is checked.
import type { SchemaObject } from './walk.ts'

/** True also if the schema has no type. `nullable: true` beside a type allows null. */
export function fitsType(value: unknown, { type, nullable }: SchemaObject): boolean {
  if (type === undefined || (value === null && nullable === true)) return true
  return [type].flat().some(one => isOf(value, one))
}

/** Whether a value is of one type, by its name. */
export function isOf(value: unknown, type: unknown): boolean {
  return ((KINDS.get(type) ?? 0) & kindOf(value)) !== 0
}

/** Each type of JSON Schema as bits, one for each kind of value. A map: a stranger's type may be `constructor`. */
const KINDS: ReadonlyMap<unknown, number> = new Map([
  ['null', 1],
  ['boolean', 2],
  ['string', 4],
  ['integer', 8],
  ['number', 8 | 16],
  ['array', 32],
  ['object', 64],
])

/** The kind of a value of JSON, as one bit; none for what JSON does not have. */
export function kindOf(value: unknown): number {
  if (value === null) return 1
  if (typeof value === 'number') return Number.isInteger(value) ? 8 : 16
  return Array.isArray(value) ? 32 : (KINDS.get(typeof value) ?? 0)
}

/** The kinds that a type of a schema of ours allows, as bits. */
export function kindsOf(type: string | readonly string[]): number {
  return [type].flat().reduce((kinds, name) => {
    const kind = KINDS.get(name)
    if (kind === undefined) throw new TypeError(`${name} is no type`)
    return kinds | kind
  }, 0)
}
