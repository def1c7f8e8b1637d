// What a JSON Schema accepts, by seven keywords: the part of JSON Schema in which two schemas can be compared.

import { isSameData } from '../json/same-data.ts'
import { own } from '../model/own.ts'
import { isSilent } from './keywords.ts'
import { isOf } from './type.ts'
import { isSchemaObject, type SchemaObject } from './walk.ts'

export const UNDERSTOOD: ReadonlySet<string> = new Set([
  'type',
  'properties',
  'required',
  'additionalProperties',
  'items',
  'enum',
  'const',
])
const TYPES = ['null', 'boolean', 'object', 'array', 'number', 'string'] as const

/** Whether callers see no difference without the keyword. A tool may fill in a default. */
export function isRemark(keyword: string): boolean {
  return isSilent(keyword) && keyword !== 'default'
}

export function isUnderstood(schema: SchemaObject): boolean {
  return Object.keys(schema).every(key => UNDERSTOOD.has(key) || isRemark(key))
}

/** Whether plain data contains a reference. A property named `$ref` counts too: that only makes fewer cases decidable. */
export function mentionsRef(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false
  return Object.entries(value).some(([key, item]) => key === '$ref' || mentionsRef(item))
}

export function isWellFormed(schema: unknown): schema is SchemaObject {
  if (!isSchemaObject(schema)) return false
  const { type, properties, required } = schema
  const isType = (one: unknown) => one === 'integer' || TYPES.some(known => known === one)
  const isList = (list: unknown) => Array.isArray(list) && list.every(item => typeof item === 'string')
  return (
    (type === undefined || (Array.isArray(type) ? type.every(isType) : isType(type))) &&
    (properties === undefined || isSchemaObject(properties)) &&
    (required === undefined || isList(required)) &&
    (schema['enum'] === undefined || Array.isArray(schema['enum']))
  )
}

export function typesOf({ type }: SchemaObject): readonly unknown[] {
  return type === undefined ? TYPES : [type].flat()
}

export function isTypeIn(allowed: readonly unknown[], type: unknown): boolean {
  return allowed.includes(type) || (type === 'integer' && allowed.includes('number'))
}

/** The values that `enum` and `const` allow; undefined without them. */
export function listedValues(schema: SchemaObject): readonly unknown[] | undefined {
  const { enum: values, const: only } = schema
  if (!Array.isArray(values) && !Object.hasOwn(schema, 'const')) return undefined
  const types = typesOf(schema)
  const isTaken = (value: unknown) =>
    types.some(type => isOf(value, type)) && (!Object.hasOwn(schema, 'const') || isSameData(only, value))
  return (Array.isArray(values) ? values : [only]).filter(isTaken)
}

/** Whether a schema takes a scalar. A list may have 100,000 values, so it is read once. */
export function takesScalar(schema: SchemaObject): (value: unknown) => boolean {
  const types = typesOf(schema)
  const listed = listedValues(schema)
  const known = listed && new Set(listed.filter(isScalar))
  return value => types.some(type => isOf(value, type)) && (known === undefined || known.has(value))
}

export function isScalar(value: unknown): boolean {
  return typeof value !== 'object' || value === null
}

/** True only if a value is known to be accepted. */
export function isSatisfiable(schema: unknown): boolean {
  if (typeof schema === 'boolean') return schema
  if (!isWellFormed(schema) || !isUnderstood(schema)) return false
  const values = listedValues(schema)
  if (values !== undefined) return values.some(isScalar)
  const types = typesOf(schema)
  if (types.some(type => type !== 'object')) return true
  return types.length > 0 && requiredBy(schema).every(name => isSatisfiable(propertyOf(schema, name)))
}

export function propertiesOf({ properties }: SchemaObject): SchemaObject {
  return isSchemaObject(properties) ? properties : {}
}

export function propertyOf(schema: SchemaObject, name: string): unknown {
  const properties = propertiesOf(schema)
  return Object.hasOwn(properties, name) ? own(properties, name) : (schema['additionalProperties'] ?? true)
}

export function requiredBy({ required }: SchemaObject): readonly string[] {
  return Array.isArray(required) ? required : []
}
