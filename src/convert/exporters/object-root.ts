// The schema of a tool's input → the same with an object at its root, which is all that models and MCP clients can send.

import { withInner } from '../../format/schema/rejoin.ts'
import type { SchemaObject } from '../../format/schema/walk.ts'
import type { JsonSchema } from '../../model/tools.ts'

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
  return withInner(schema, (child, keyword) => {
    if (typeof child !== 'boolean') return withoutBooleans(child)
    return MAY_BE_BOOLEAN.includes(keyword) ? child : child ? {} : { not: {} }
  })
}
