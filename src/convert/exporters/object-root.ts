// The schema of a tool's input → the same schema with an object at its root, because models and MCP clients can send nothing else.
import { withInner } from '../../format/schema/rejoin.ts'
import type { SchemaObject } from '../../format/schema/walk.ts'
import type { JsonSchema } from '../../model/tools.ts'

/** Undefined if no object fits the schema: then no call could be made. */
export function objectRoot(schema: JsonSchema): SchemaObject | undefined {
  if (typeof schema === 'boolean') return schema ? { type: 'object' } : undefined
  const { type } = schema
  if (type === 'object') return schema
  if (type === undefined || (Array.isArray(type) && type.includes('object')))
    return { ...schema, type: 'object' }
  return undefined
}

/** Keywords that may be `true` and `false`. Elsewhere readers of schemas expect an object. */
const MAY_BE_BOOLEAN = ['additionalProperties', 'unevaluatedProperties', 'unevaluatedItems']

/** The same schema with `{}` for `true`, and `{ "not": {} }` for `false`. Recursive: depth must be bounded. */
export function withoutBooleans(schema: SchemaObject): SchemaObject {
  return withInner(schema, (child, keyword) => {
    if (typeof child !== 'boolean') return withoutBooleans(child)
    return MAY_BE_BOOLEAN.includes(keyword) ? child : child ? {} : { not: {} }
  })
}
