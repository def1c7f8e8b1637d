// A walked schema → the parts that only a reference makes schemas (`#/components/…`): its meta-schema does not look into those.
import type { JsonSchema } from '../../model/tools.ts'
import { extent } from './extent.ts'
import { MAX_SCHEMA_VALUES } from './link.ts'
import { inner, isSchemaObject, type Subschema } from './walk.ts'

/** What most local references look like: no other keyword is needed to find it a schema. */
const PLAIN = /^(?!#\/)|^#\/(?:\$defs|definitions)\/[^/]*$/

/**
 * Each stray part once, the outer one where one stands in another.
 *
 * @param nodes of `walkSchemas(root)`: what keywords make schemas first, then what references do
 * @returns undefined when they overlap so often that looking into each would take more than a schema is worth
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

/** The schema itself and what keywords make schemas inside it. */
function within(schema: JsonSchema): JsonSchema[] {
  const found = [schema]
  // The list grows while it is read.
  for (const one of found) for (const child of inner(one)) found.push(child.schema)
  return found
}
