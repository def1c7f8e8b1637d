// The keywords of JSON Schema that hold schemas, and the schemas directly inside one.
import type { Pointer } from '../../model/document.ts'
import { isTable, own } from '../../model/own.ts'
import type { JsonSchema } from '../../model/tools.ts'

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

/** One step by a keyword: the value that it makes a schema, and how many steps of a pointer that is. */
export function stepDown(schema: SchemaObject, keyword: string, name: Pointer[number] | undefined) {
  const value = own(schema, keyword)
  if (table(ONE, keyword) !== undefined) return { child: value, length: 1 }
  const isList = table(LIST, keyword) !== undefined && Array.isArray(value)
  const isNamed = table(NAMED, keyword) !== undefined && isSchemaObject(value)
  if (name === undefined || !(isList || isNamed)) return undefined
  return { child: own(value as SchemaObject, String(name)), length: 2 }
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
