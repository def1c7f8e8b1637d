// A walked schema → the parts that are schemas only through a reference (`#/components/…`): the meta-schema does not check those.
import type { JsonSchema } from '../../model/tools.ts'
import { extent } from './extent.ts'
import { MAX_SCHEMA_VALUES } from './link.ts'
import { inner, isSchemaObject, type Subschema } from './walk.ts'

/** The form of most local references: their targets are schemas by keywords alone. */
const PLAIN = /^(?!#\/)|^#\/(?:\$defs|definitions)\/[^/]*$/

/**
 * Each stray part once, the outer one if one contains another.
 * @param nodes from `walkSchemas(root)`: schemas by keyword first, then schemas by reference
 * @returns undefined if they overlap so often that checking each would take too long
 */
export function straysIn(root: unknown, nodes: readonly Subschema[]): readonly Subschema[] | undefined {
  if (!nodes.some(({ schema }) => hasFarRef(schema)) || !isSchemaObject(root)) return []
  const covered = new Set(within(root))
  const strays: Subschema[] = []
  let values = 0
  for (const node of nodes) {
    if (typeof node.schema === 'boolean' || covered.has(node.schema)) continue
    values += extent(node.schema).values
    if (values > MAX_SCHEMA_VALUES) return undefined
    strays.push(node)
    for (const schema of within(node.schema)) covered.add(schema)
  }
  return strays
}

function hasFarRef(schema: JsonSchema): boolean {
  if (typeof schema === 'boolean') return false
  const { $ref, $dynamicRef } = schema
  return [$ref, $dynamicRef].some(ref => typeof ref === 'string' && !PLAIN.test(ref))
}

/** The schema itself and the schemas inside it by keyword. */
function within(schema: JsonSchema): JsonSchema[] {
  const found = [schema]
  // The loop also visits schemas that it adds.
  for (const one of found) for (const child of inner(one)) found.push(child.schema)
  return found
}
