// Marks of internal fields in JSON Schemas: `"visibility": "internal"` at a property. A mark counts for this property alone. No
// reference, branch or list carries it elsewhere, so that two readers cannot differ about it (docs/spec/tools.md, T-45).
import type { Pointer } from '../model/document.ts'
import { own } from '../model/own.ts'
import { isSchemaObject, walkSchemas } from '../schema/walk.ts'

/** A walk keeps each subschema with its place, and a file can hold millions. */
export const MAX_SEARCHED = 100_000

/** Reports whether schemas have more subschemas than the limit. */
export function isTooLarge(schemas: Iterable<unknown>): boolean {
  let left = MAX_SEARCHED
  for (const schema of schemas) walkSchemas(schema, () => --left >= 0)
  return left < 0
}

export function isMarked(schema: unknown): boolean {
  return isSchemaObject(schema) && own(schema, 'visibility') === 'internal'
}

/** Finds the marked subschemas of a schema, at any depth. */
export function marksIn(root: unknown): Pointer[] {
  const marked: Pointer[] = []
  walkSchemas(root, ({ pointer, schema }) => {
    if (isMarked(schema)) marked.push(pointer)
    return true
  })
  return marked
}

/** Reports whether `properties` alone lead to a place. */
export function isByProperties(pointer: Pointer): boolean {
  return pointer.length % 2 === 0 && pointer.every((step, at) => at % 2 === 1 || step === 'properties')
}

/** Returns the fields of a schema: the members of its `properties` that are schemas. */
export function schemaFields(schema: unknown): (readonly [name: string, field: unknown])[] {
  const properties = isSchemaObject(schema) ? own(schema, 'properties') : undefined
  if (!isSchemaObject(properties)) return []
  return Object.entries(properties).filter(([, field]) => typeof field === 'boolean' || isSchemaObject(field))
}
