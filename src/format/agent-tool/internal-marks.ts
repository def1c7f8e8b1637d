// A JSON Schema → its internal parts: marked subschemas, and the names of fields at each place of the value. A mark also counts through
// references and allOf, so that no detour hides it.
import { own } from '../../model/own.ts'
import { inner, isSchemaObject, type SchemaObject, type Subschema, walkSchemas } from '../schema/walk.ts'
import { localTargets } from './local-targets.ts'
import { findSpots, type Spot } from './spots.ts'

export interface InternalMarks {
  /** Every subschema with keywords, in the order of `walkSchemas`. */
  readonly nodes: readonly (Subschema & { readonly schema: SchemaObject })[]
  isInternal(schema: unknown): boolean
  /** The spot that a subschema judges; its `names` are the marked fields. */
  spotOf(schema: SchemaObject): Spot | undefined
}

/** Each subschema is kept with its place, and a file can hold millions. */
export const MAX_MARKED = 100_000

/** Whether there are more subschemas than the limit. */
export function isTooLarge(schemas: Iterable<unknown>): boolean {
  let left = MAX_MARKED
  for (const schema of schemas) for (const _ of walkSchemas(schema)) if (left-- === 0) return true
  return false
}

/** Time and memory grow with the schema's size: ask {@link isTooLarge} first. */
export function readMarks(root: unknown): InternalMarks {
  const nodes = [...walkSchemas(root)].filter(hasKeywords)
  const internal = internalSchemas(nodes, root)
  const spots = findSpots(nodes, schema => internal.has(schema), root)
  for (const { schema } of nodes) {
    for (const { steps, schema: child } of inner(schema)) {
      const isField = steps[0] === 'properties' && isSchemaObject(child)
      if (isField && internal.has(child)) spots.get(schema)?.names.add(String(steps[1]))
    }
  }
  const isInternal = (schema: unknown) => isSchemaObject(schema) && internal.has(schema)
  return { nodes, isInternal, spotOf: schema => spots.get(schema) }
}

/** Whether a schema is marked as internal itself. */
export function isMarked(schema: SchemaObject): boolean {
  return Object.hasOwn(schema, 'visibility') && schema['visibility'] === 'internal'
}

/** Marked schemas, and those with an internal part: the target of a reference, one of allOf, all of anyOf or oneOf. */
function internalSchemas(nodes: InternalMarks['nodes'], root: unknown): Set<SchemaObject> {
  const holders = new Map<
    SchemaObject,
    { readonly holder: SchemaObject; readonly open: Set<SchemaObject> }[]
  >()
  const depend = (holder: SchemaObject, parts: readonly SchemaObject[]) => {
    const open = new Set(parts)
    for (const part of open) holders.set(part, [...(holders.get(part) ?? []), { holder, open }])
  }
  for (const node of nodes) {
    for (const target of localTargets(node, root)) depend(node.schema, [target])
    for (const part of listOf(node.schema, 'allOf').filter(isSchemaObject)) depend(node.schema, [part])
    for (const keyword of ['anyOf', 'oneOf']) {
      const parts = listOf(node.schema, keyword)
      if (parts.length > 0 && parts.every(isSchemaObject)) depend(node.schema, parts)
    }
  }
  const internal = new Set(nodes.map(({ schema }) => schema).filter(isMarked))
  // The loop also visits members that it adds.
  for (const part of internal) {
    for (const { holder, open } of holders.get(part) ?? []) {
      open.delete(part)
      if (open.size === 0) internal.add(holder)
    }
  }
  return internal
}

function listOf(schema: SchemaObject, keyword: string): unknown[] {
  const list = own(schema, keyword)
  return Array.isArray(list) ? list : []
}

function hasKeywords(node: Subschema): node is InternalMarks['nodes'][number] {
  return typeof node.schema === 'object'
}
