// The schemas inside a JSON Schema: one step, all of them, and the one at a pointer. Only keywords make a value a schema.
import type { Pointer } from '../model/document.ts'
import { isTable, own } from '../model/own.ts'
import type { JsonSchema } from '../model/tools.ts'
import { HOLDERS, IN_PLACE } from './keywords.ts'

export type SchemaObject = { readonly [keyword: string]: unknown }

/** A schema within another one, or the root itself. */
export interface Subschema {
  /** From the root. */
  readonly pointer: Pointer
  readonly schema: JsonSchema
}

/** A schema directly inside another one. */
interface Inner {
  readonly steps: readonly [keyword: string, name?: string | number]
  readonly schema: JsonSchema
  /** Whether it checks the same value as the schema around it. */
  readonly inPlace: boolean
}

/** Whether a value is a schema with keywords. */
export function isSchemaObject(value: unknown): value is SchemaObject {
  return isTable(value)
}

function isSchema(value: unknown): value is JsonSchema {
  return typeof value === 'boolean' || isSchemaObject(value)
}

/** The schemas directly inside one, in the order in which they are written. The meta-schema reports values that should be schemas. */
export function inner(schema: JsonSchema): Inner[] {
  const found: Inner[] = []
  if (typeof schema === 'boolean') return found
  for (const keyword of Object.keys(schema)) {
    const holds = HOLDERS.get(keyword)
    if (holds === undefined) continue
    const inPlace = IN_PLACE.has(keyword)
    const value = own(schema, keyword)
    if (holds === 'one') {
      if (isSchema(value)) found.push({ steps: [keyword], schema: value, inPlace })
    } else if (holds === 'list' ? Array.isArray(value) : isSchemaObject(value)) {
      for (const [name, child] of Object.entries(value as SchemaObject))
        if (isSchema(child))
          found.push({ steps: [keyword, holds === 'list' ? Number(name) : name], schema: child, inPlace })
    }
  }
  return found
}

/** Every subschema, the root first and parents before children. */
export function subschemasOf(root: unknown): Subschema[] {
  const all: Subschema[] = []
  walkSchemas(root, node => {
    all.push(node)
    return true
  })
  return all
}

/**
 * The same, one after the other, as long as `visit` answers true. Takes a stack, because a schema may nest deeper than calls. What is below a
 * schema is looked up after its visit.
 */
export function walkSchemas(root: unknown, visit: (node: Subschema) => boolean): void {
  const open: Subschema[] = isSchema(root) ? [{ pointer: [], schema: root }] : []
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    if (!visit(node)) return
    for (const { steps, schema } of inner(node.schema).reverse())
      open.push({ pointer: [...node.pointer, ...(steps as Pointer)], schema })
  }
}

/** The subschema at the end of the tokens of a JSON pointer. */
export function subschemaAt(root: unknown, tokens: readonly string[]): Subschema | undefined {
  const pointer: (string | number)[] = []
  let schema = root
  for (let at = 0; at < tokens.length; at++) {
    const keyword = tokens[at] ?? ''
    const holds = HOLDERS.get(keyword)
    if (holds === undefined || !isSchemaObject(schema)) return undefined
    schema = own(schema, keyword)
    pointer.push(keyword)
    if (holds === 'one') continue
    const name = tokens[++at] ?? ''
    const isHeld = holds === 'list' ? Array.isArray(schema) && INDEX.test(name) : isSchemaObject(schema)
    if (at === tokens.length || !isHeld) return undefined
    schema = own(schema as SchemaObject, name)
    pointer.push(holds === 'list' ? Number(name) : name)
  }
  return isSchema(schema) ? { pointer, schema } : undefined
}

/** As a JSON pointer writes the index of a list. */
const INDEX = /^(?:0|[1-9][0-9]{0,9})$/

/** The same schema, with `make` applied to each schema directly inside it. */
export function withInner(
  schema: SchemaObject,
  make: (child: JsonSchema, steps: Inner['steps']) => JsonSchema,
): SchemaObject {
  const members: Record<string, unknown> = { ...schema }
  for (const { steps, schema: child } of inner(schema)) {
    const [keyword, name] = steps
    const value = own(members, keyword)
    const made = make(child, steps)
    if (name === undefined) {
      members[keyword] = made
      continue
    }
    const isWritten = value === own(schema, keyword)
    const copy = !isWritten ? value : Array.isArray(value) ? [...value] : { ...(value as object) }
    // Not by assignment: a property may be called `__proto__`.
    members[keyword] = Object.defineProperty(copy as object, name, { value: made })
  }
  return members
}
