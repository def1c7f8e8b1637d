// A JSON Schema 2020-12 → its subschemas, each with its place. Pure data: no ajv, nothing is fetched.
import type { Pointer } from '../../model/document.ts'
import { isTable, own } from '../../model/own.ts'
import type { JsonSchema } from '../../model/tools.ts'
import { fragmentTokens, stepInto } from './pointer.ts'

/** Keywords whose value is a schema, and whether that schema checks the same value as the schema around it. */
const ONE: Readonly<Record<string, boolean>> = {
  additionalProperties: false,
  unevaluatedProperties: false,
  propertyNames: false,
  items: false,
  unevaluatedItems: false,
  contains: false,
  contentSchema: false,
  not: true,
  if: true,
  // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
  then: true,
  else: true,
}
/** Keywords whose value is a list of schemas. */
const LIST: Readonly<Record<string, boolean>> = { allOf: true, anyOf: true, oneOf: true, prefixItems: false }
/**
 * Keywords whose value maps names to schemas. `definitions` and `dependencies` are from older drafts, and every reader still knows them.
 */
const NAMED: Readonly<Record<string, boolean>> = {
  properties: false,
  patternProperties: false,
  $defs: false,
  definitions: false,
  dependentSchemas: true,
  dependencies: true,
}

export type SchemaObject = { readonly [keyword: string]: unknown }

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
  for (let next = pending.shift(); next !== undefined; next = pending.shift()) {
    yield* walkFrom(next, pending, found, true)
  }
}

/** Depth first with a stack of generators: memory grows with the depth, however wide the schema is. */
function* walkFrom(
  start: Subschema,
  pending: Subschema[],
  found: Set<JsonSchema>,
  isExtra: boolean,
): Generator<Subschema> {
  const open: Iterator<Subschema>[] = [[start].values()]
  for (let top = open.at(-1); top !== undefined; top = open.at(-1)) {
    const { done, value: node } = top.next()
    if (done) {
      open.pop()
      continue
    }
    if (isExtra) {
      if (found.has(node.schema)) continue
      if (typeof node.schema === 'object') found.add(node.schema)
    }
    yield node
    pending.push(...referredTo(node))
    open.push(children(node))
  }
}

/** The direct subschemas, in the order in which they are written. */
function* children(node: Subschema): Generator<Subschema> {
  for (const { steps, schema } of inner(node.schema)) {
    const pointer = [...node.pointer, ...steps]
    const isResource = typeof schema === 'object' && typeof schema['$id'] === 'string'
    yield isResource
      ? { pointer, schema, resource: schema, resourceAt: pointer }
      : { ...node, pointer, schema }
  }
}

/** The schemas directly inside one. `inPlace` ones check the same value as the schema itself. */
export function* inner(
  schema: JsonSchema,
): Generator<{ readonly steps: Pointer; readonly schema: JsonSchema; readonly inPlace: boolean }> {
  if (typeof schema === 'boolean') return
  for (const keyword of Object.keys(schema)) {
    const value = own(schema, keyword)
    const one = table(ONE, keyword)
    const list = table(LIST, keyword)
    const named = table(NAMED, keyword)
    if (one !== undefined && isSchema(value)) yield { steps: [keyword], schema: value, inPlace: one }
    else if (list !== undefined && Array.isArray(value)) {
      for (const [index, child] of value.entries()) {
        if (isSchema(child)) yield { steps: [keyword, index], schema: child, inPlace: list }
      }
    } else if (named !== undefined && isSchemaObject(value)) {
      for (const name of Object.keys(value)) {
        const child = own(value, name)
        if (isSchema(child)) yield { steps: [keyword, name], schema: child, inPlace: named }
      }
    }
  }
}

/** The targets of a schema's local references that are not schemas by keywords. */
function* referredTo({ schema, resource, resourceAt }: Subschema): Generator<Subschema> {
  if (typeof schema === 'boolean') return
  for (const ref of [schema['$ref'], schema['$dynamicRef']]) {
    const tokens = typeof ref === 'string' && ref.startsWith('#/') ? fragmentTokens(ref) : undefined
    if (tokens === undefined || isSchemaPlace(tokens)) continue
    const target = stepInto(resource, tokens)
    if (target === undefined || !isSchemaObject(target.value)) continue
    yield { pointer: [...resourceAt, ...target.pointer], schema: target.value, resource, resourceAt }
  }
}

/** Whether keywords alone make a pointer's target a schema: `$defs/address`, not `components/address`. */
function isSchemaPlace(tokens: readonly string[]): boolean {
  for (let at = 0; at < tokens.length; ) {
    const keyword = tokens[at] ?? ''
    if (table(ONE, keyword) !== undefined) at += 1
    else if ((table(LIST, keyword) ?? table(NAMED, keyword)) === undefined || at + 1 === tokens.length)
      return false
    else at += 2
  }
  return true
}

/** Own members only: a keyword from a stranger may be `constructor`. */
function table(keywords: Readonly<Record<string, boolean>>, keyword: string): boolean | undefined {
  return own(keywords, keyword)
}

function isSchema(value: unknown): value is JsonSchema {
  return typeof value === 'boolean' || isSchemaObject(value)
}

/** Whether a value is a schema with keywords. */
export function isSchemaObject(value: unknown): value is SchemaObject {
  return isTable(value)
}
