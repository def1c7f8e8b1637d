// A schema without its internal fields → without the definitions that only those referred to.
import type { Pointer } from '../../model/document.ts'
import { inner, isSchemaObject, type SchemaObject, type Subschema, walkSchemas } from '../schema/walk.ts'
import type { InternalMarks } from './internal-marks.ts'
import { localTargets } from './local-targets.ts'

const DEFINITIONS = ['$defs', 'definitions']

/** @param marks of the schema before anything was taken away: pointers are still the same */
export function removeUnreached(root: SchemaObject, { nodes }: InternalMarks): void {
  const kept = placesReached(root)
  const inKeywords = new Set<unknown>(
    nodes.flatMap(({ schema }) => [...inner(schema)].map(({ schema: child }) => child)),
  )
  for (const { pointer, schema } of nodes) {
    // Only references make use of a definition, and of what no keyword makes a schema.
    const isDefinition = DEFINITIONS.includes(String(pointer.at(-2))) || !inKeywords.has(schema)
    if (pointer.length === 0 || !isDefinition || kept.has(JSON.stringify(pointer))) continue
    const key = pointer.at(-1) ?? ''
    const holder = stepTo(root, pointer.slice(0, -1))
    if (Array.isArray(holder)) holder[Number(key)] = false
    else if (isSchemaObject(holder)) delete (holder as Record<string, unknown>)[key]
  }
}

/** The places of all schemas that judge something, and the places around them. */
function placesReached(root: SchemaObject): ReadonlySet<string> {
  const nodes = new Map<unknown, Subschema>([...walkSchemas(root)].map(node => [node.schema, node]))
  const reached = new Set<unknown>([root])
  const places = new Set<string>()
  // The set grows while it is read.
  for (const schema of reached) {
    const node = nodes.get(schema)
    if (node === undefined || typeof node.schema === 'boolean') continue
    for (let end = node.pointer.length; end >= 0; end--) {
      places.add(JSON.stringify(node.pointer.slice(0, end)))
    }
    for (const { steps, schema: child } of inner(node.schema)) {
      if (!DEFINITIONS.includes(String(steps[0]))) reached.add(child)
    }
    for (const target of localTargets(node)) reached.add(target)
  }
  return places
}

function stepTo(root: unknown, pointer: Pointer): unknown {
  let here = root
  for (const step of pointer) here = (here as Readonly<Record<string, unknown>> | undefined)?.[step]
  return here
}
