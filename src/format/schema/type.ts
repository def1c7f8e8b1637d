// A value + a schema → whether the value has the schema's type. No other keyword is checked.
import { isTable } from '../../model/own.ts'
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
