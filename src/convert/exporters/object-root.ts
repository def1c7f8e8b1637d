// Writes the schema of a tool's input so that models and MCP clients read it: they send an object and nothing else, and some refuse a
// schema that leaves out what says nothing.

import { quoteName } from '../../lint/message-words.ts'
import type { Pointer } from '../../model/document.ts'
import type { JsonSchema } from '../../model/tools.ts'
import { isBareList } from '../../openai/refused.ts'
import { type SchemaObject, withInner } from '../../schema/walk.ts'

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
  return withInner(schema, (child, [keyword]) => {
    if (typeof child !== 'boolean') return withoutBooleans(child)
    return MAY_BE_BOOLEAN.includes(keyword) ? child : child ? {} : { not: {} }
  })
}

/** The same schema, with `items: {}` in each list that does not say what it holds. Recursive: depth must be bounded. */
export function withItems(schema: SchemaObject): SchemaObject {
  const copy = withInner(schema, child => (typeof child === 'boolean' ? child : withItems(child)))
  return isBareList(copy) ? { ...copy, items: {} } : copy
}

/** The name of the argument that a place in an input's schema belongs to, for people. */
export function argumentAt(pointer: Pointer): string {
  const name = pointer.findLast((_, index) => pointer[index - 1] === 'properties')
  return name === undefined ? 'the input' : quoteName(String(name))
}
