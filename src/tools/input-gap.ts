// A schema → whether a call has a value at a name in it, and one that can be filled in.
import { isTable } from '../model/own.ts'

/** A part of the path that a call that fits the schema may leave out, or send as null. */
export interface InputGap {
  readonly at: readonly string[]
  readonly is: 'optional' | 'null' | 'short'
}

/** Why a call may have no value for a name in an object or a list of this schema; undefined if it always has one. */
export function gapAt(schema: unknown, name: string): InputGap['is'] | undefined {
  if (!isTable(schema)) return undefined
  const { properties, required, minItems } = schema
  if (isTable(properties) && Object.hasOwn(properties, name)) {
    const { names, isMisspelt } = requiredOf(schema, required, properties)
    return names.has(name) || isMisspelt ? undefined : 'optional'
  }
  return Number(name) < Number(minItems ?? 0) ? undefined : 'short'
}

interface Required {
  readonly names: ReadonlySet<unknown>
  /** A required name without a property is mostly one of them, misspelt: rules about the schema say so. */
  readonly isMisspelt: boolean
}

/** Safe as a cache, because schemas never change after they were read. A hostile tool has as many placeholders as properties. */
const known = new WeakMap<object, Required>()

function requiredOf(schema: object, list: unknown, properties: object): Required {
  const seen = known.get(schema)
  if (seen !== undefined) return seen
  const names = new Set<unknown>(Array.isArray(list) ? list : [])
  const required = { names, isMisspelt: [...names].some(name => !Object.hasOwn(properties, String(name))) }
  known.set(schema, required)
  return required
}

/** A value of this schema that cannot be filled in. */
export function holding(schema: unknown): 'object' | 'list' | undefined {
  const types = typesOf(schema).filter(type => type !== 'null')
  if (types.length === 0 || types.some(type => type !== 'object' && type !== 'array')) return undefined
  return types.includes('object') ? 'object' : 'list'
}

export function isNullable(schema: unknown): boolean {
  return typesOf(schema).includes('null')
}

function typesOf(schema: unknown): readonly unknown[] {
  return isTable(schema) && schema['type'] !== undefined ? [schema['type']].flat() : []
}
