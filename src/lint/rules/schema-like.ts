// Recognises a value that was written as a JSON Schema, where nothing says that it is one.

import { isTable, own } from '../../model/own.ts'
import { isAnnotation } from '../../schema/keywords.ts'

const TYPES: readonly unknown[] = ['string', 'number', 'integer', 'boolean', 'array', 'object', 'null']

/** Whether a value was certainly written as a schema. */
export function isSchemaLike(value: unknown): boolean {
  if (!isTable(value)) return false
  if (isType(own(value, 'type')) || typeof own(value, '$ref') === 'string') return true
  if (Array.isArray(own(value, 'enum'))) return true
  const branches = ['anyOf', 'oneOf', 'allOf'].some(key => {
    const list = own(value, key)
    return Array.isArray(list) && list.length > 0 && list.every(isTable)
  })
  if (branches) return true
  const keys = Object.keys(value)
  return (
    typeof own(value, 'description') === 'string' &&
    keys.every(key => isAnnotation(key) || key === 'example' || key === 'optional')
  )
}

/** Whether a value is what `type` may say. */
export function isType(type: unknown): boolean {
  return Array.isArray(type)
    ? type.length > 0 && type.every(one => TYPES.includes(one))
    : TYPES.includes(type)
}
