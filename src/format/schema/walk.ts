// A JSON Schema 2020-12 → its subschemas, each with its place. Pure data: no ajv, nothing is fetched.
import type { Pointer } from '../../model/document.ts'
import type { JsonSchema } from '../../model/tools.ts'
import { fragmentTokens, stepInto } from './pointer.ts'
import { inner, isSchemaObject, type SchemaObject, stepDown } from './subschemas.ts'

export { inner, isSchemaObject, type SchemaObject } from './subschemas.ts'

/** One schema within another, or the root itself. */
export interface Subschema {
  /** From the walked root. */
  readonly pointer: Pointer
  readonly schema: JsonSchema
  /** The nearest schema around (or itself) with an `$id`, else the root: `#…` references inside start from it. */
  readonly resource: SchemaObject
  readonly resourceAt: Pointer
}

/**
 * Every subschema, the root first and parents before children. A place that is a schema only through a local reference (`#/components/…`)
 * counts too. Values that should be schemas and are not are skipped: the meta-schema reports them.
 */
export function* walkSchemas(root: unknown): Generator<Subschema> {
  if (typeof root === 'boolean') yield { pointer: [], schema: root, resource: {}, resourceAt: [] }
  if (!isSchemaObject(root)) return
  const pending: Subschema[] = []
  const found = new Set<JsonSchema>()
  yield* walkFrom({ pointer: [], schema: root, resource: root, resourceAt: [] }, pending, found, false)
  // Places known only through references, in the order in which they were found; they may refer to further ones.
  for (let next = pending.shift(); next !== undefined; next = pending.shift())
    yield* walkFrom(next, pending, found, true)
}

/** Depth first, with those that are still to come on a stack: a schema may nest deeper than calls. */
function* walkFrom(
  start: Subschema,
  pending: Subschema[],
  found: Set<JsonSchema>,
  isExtra: boolean,
): Generator<Subschema> {
  const open = [start]
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    const { schema } = node
    if (isExtra) {
      if (found.has(schema)) continue
      if (typeof schema === 'object') found.add(schema)
    }
    yield node
    if (typeof schema === 'boolean') continue
    for (const ref of [schema['$ref'], schema['$dynamicRef']]) {
      const target = typeof ref === 'string' ? referredTo(node, ref) : undefined
      if (target !== undefined) pending.push(target)
    }
    for (const { steps, schema: child } of inner(schema).reverse()) {
      const pointer = [...node.pointer, ...steps]
      const isResource = typeof child === 'object' && typeof child['$id'] === 'string'
      const { resource, resourceAt } = isResource ? { resource: child, resourceAt: pointer } : node
      open.push({ pointer, schema: child, resource, resourceAt })
    }
  }
}

/** The target of a local reference, if it is no schema by keywords. */
function referredTo({ resource, resourceAt }: Subschema, ref: string): Subschema | undefined {
  const tokens = ref.startsWith('#/') ? fragmentTokens(ref) : undefined
  const target = tokens && stepInto(resource, tokens)
  if (target === undefined || !isSchemaObject(target.value)) return undefined
  const around = schemasTo(resource, target.pointer)
  if (around.at(-1)?.schema === target.value) return undefined
  const { value, pointer } = target
  const within = [...around, { schema: value, count: pointer.length }].slice(1)
  const named = within.findLast(({ schema }) => typeof schema['$id'] === 'string')
  const at = (count: number) => [...resourceAt, ...pointer.slice(0, count)]
  return {
    pointer: at(pointer.length),
    schema: value,
    resource: named?.schema ?? resource,
    resourceAt: named === undefined ? resourceAt : at(named.count),
  }
}

/**
 * The schemas on the way to a place that keywords alone make schemas, from the outside: of `$defs/address` the target is one, of
 * `components/address` it is not.
 */
function schemasTo(root: SchemaObject, pointer: Pointer): Around[] {
  const found: Around[] = [{ schema: root, count: 0 }]
  for (let at = found[0]; at !== undefined && at.count < pointer.length; at = found.at(-1)) {
    const [keyword, name] = pointer.slice(at.count, at.count + 2)
    const step = stepDown(at.schema, String(keyword), name)
    if (!isSchemaObject(step?.child)) break
    found.push({ schema: step.child, count: at.count + step.length })
  }
  return found
}

/** A schema on the way, and how many steps lead to it. */
interface Around {
  readonly schema: SchemaObject
  readonly count: number
}
