// A value + a schema → whether the value has the schema's type. No other keyword is checked.
import { isTable, own } from '../../model/own.ts'
import type { SchemaObject } from './walk.ts'

/** True also if the schema has no type. `nullable: true` beside a type allows null. */
export function fitsType(value: unknown, { type, nullable }: SchemaObject): boolean {
  if (type === undefined || (value === null && nullable === true)) return true
  return [type].flat().some(one => isOf(value, one))
}

/** Whether a value is of one type, by its name. */
export function isOf(value: unknown, type: unknown): boolean {
  switch (type) {
    case 'null':
      return value === null
    case 'array':
      return Array.isArray(value)
    case 'object':
      return isTable(value)
    case 'integer':
      return Number.isInteger(value)
    default:
      return typeof value === type
  }
}

const KINDS: Readonly<Record<string, number>> = {
  null: 1,
  boolean: 2,
  string: 4,
  integer: 8,
  number: 8 | 16,
  array: 32,
  object: 64,
}

/** The kind of a value of JSON, as one bit; none for what JSON does not have. */
export function kindOf(value: unknown): number {
  switch (typeof value) {
    case 'string':
      return 4
    case 'number':
      return Number.isInteger(value) ? 8 : 16
    case 'boolean':
      return 2
    case 'object':
      return value === null ? 1 : Array.isArray(value) ? 32 : 64
    default:
      return 0
  }
}

/** The kinds that a type of a schema of ours allows, as bits. */
export function kindsOf(type: string | readonly string[]): number {
  return [type].flat().reduce((kinds, name) => {
    const kind = own(KINDS, name)
    if (kind === undefined) throw new TypeError(`${name} is no type`)
    return kinds | kind
  }, 0)
}
