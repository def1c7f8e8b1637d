// A schema without its internal fields → the same without definitions that only those fields used.
import type { Pointer } from '../../model/document.ts'
import { own } from '../../model/own.ts'
import { inner, isSchemaObject, type SchemaObject, type Subschema, walkSchemas } from '../schema/walk.ts'
import type { InternalMarks } from './internal-marks.ts'
import { localTargets } from './local-targets.ts'

const DEFINITIONS = ['$defs', 'definitions']

/** @param marks of the schema before the removal: pointers are still the same */
export function removeUnreached(root: SchemaObject, { nodes }: InternalMarks): void {
  const inKeywords = new Set<unknown>()
  for (const { schema } of nodes) for (const part of inner(schema)) inKeywords.add(part.schema)
  // Definitions, and parts that no keyword makes a schema, are used by references only.
  const referred = nodes.filter(
    ({ pointer, schema }) =>
      pointer.length > 0 && (DEFINITIONS.includes(String(pointer.at(-2))) || !inKeywords.has(schema)),
  )
  if (referred.length === 0) return
  const kept = reachedIn(root)
  for (const { pointer } of referred) {
    const key = pointer.at(-1) ?? ''
    const holder = stepTo(root, pointer.slice(0, -1)) as Record<string, unknown> | undefined
    if (holder === undefined || !Object.hasOwn(holder, key) || kept.has(own(holder, key))) continue
    if (Array.isArray(holder)) holder[Number(key)] = false
    else delete holder[key]
  }
}

/** All schemas that are applied, and those around them. */
function reachedIn(root: SchemaObject): ReadonlySet<unknown> {
  const nodes = new Map<unknown, Subschema>()
  const around = new Map<unknown, SchemaObject>()
  for (const node of walkSchemas(root)) {
    nodes.set(node.schema, node)
    if (typeof node.schema === 'boolean') continue
    for (const { schema } of inner(node.schema)) around.set(schema, node.schema)
  }
  const reached = new Set<unknown>([root])
  const kept = new Set<unknown>()
  // The loop also visits members that it adds.
  for (const schema of reached) {
    const node = nodes.get(schema)
    if (node === undefined || typeof node.schema === 'boolean') continue
    keep(root, node, nodes, around, kept)
    for (const { steps, schema: child } of inner(node.schema)) {
      if (!DEFINITIONS.includes(String(steps[0]))) reached.add(child)
    }
    for (const target of localTargets(node, root)) reached.add(target)
  }
  return kept
}

function keep(
  root: SchemaObject,
  node: Subschema,
  nodes: ReadonlyMap<unknown, Subschema>,
  around: ReadonlyMap<unknown, SchemaObject>,
  kept: Set<unknown>,
): void {
  let last: unknown = node.schema
  for (let at: unknown = node.schema; at !== undefined && !kept.has(at); at = around.get(at)) {
    kept.add(at)
    last = at
  }
  // No keyword leads there: everything on the way stays.
  const pointer = last === root || around.has(last) ? [] : (nodes.get(last)?.pointer ?? [])
  for (let end = 1; end < pointer.length; end++) kept.add(stepTo(root, pointer.slice(0, end)))
}

function stepTo(root: unknown, pointer: Pointer): unknown {
  let here = root
  for (const step of pointer) here = own(here as Readonly<Record<string, unknown>> | undefined, step)
  return isSchemaObject(here) || Array.isArray(here) ? here : undefined
}
