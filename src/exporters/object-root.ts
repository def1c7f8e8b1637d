// The schema of a tool's input → the same with an object at its root, which is all that models and MCP clients can send.

import { replaced } from '../format/schema/rejoin.ts'
import { inner, type SchemaObject } from '../format/schema/walk.ts'
import type { JsonSchema } from '../model/tools.ts'

/** Undefined when no object fits the schema: then no call could be made. */
export function objectRoot(schema: JsonSchema): SchemaObject | undefined {
  if (typeof schema === 'boolean') return schema ? { type: 'object' } : undefined
  const { type } = schema
  if (type === 'object') return schema
  if (type === undefined || (Array.isArray(type) && type.includes('object')))
    return { ...schema, type: 'object' }
  return undefined
}

/** Where `true` and `false` are usual; everywhere else readers of schemas expect an object. */
const MAY_BE_BOOLEAN = ['additionalProperties', 'unevaluatedProperties', 'unevaluatedItems']

/** The same schema with `{}` in the place of `true`, and `{ "not": {} }` in that of `false`. Recursive: depth must be bounded. */
export function withoutBooleans(schema: SchemaObject): SchemaObject {
  const copies = new Map<string, [steps: readonly (string | number)[], copy: JsonSchema][]>()
  for (const { steps, schema: child } of inner(schema)) {
    const keyword = String(steps[0])
    if (typeof child === 'boolean' && MAY_BE_BOOLEAN.includes(keyword)) continue
    const copy = child === true ? {} : child === false ? { not: {} } : withoutBooleans(child)
    copies.set(keyword, [...(copies.get(keyword) ?? []), [steps, copy]])
  }
  const members = Object.entries(schema).map(([keyword, value]): [string, unknown] => {
    const made = copies.get(keyword)
    return [keyword, made === undefined ? value : replaced(value, made)]
  })
  return Object.fromEntries(members)
}
