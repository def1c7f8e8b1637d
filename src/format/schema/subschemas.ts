// The keywords of JSON Schema that hold schemas, and the schemas directly inside one.
import type { Pointer } from '../../model/document.ts'
import { isTable, own } from '../../model/own.ts'
import type { JsonSchema } from '../../model/tools.ts'

/**
 * Keywords whose value is a schema, a list of schemas, or a table of them, and whether these check the same value as the schema around
 * them. `definitions` and `dependencies` are from older drafts, and every reader still knows them. A map: a stranger's keyword may be
 * `constructor`.
 */
const KEYWORDS: ReadonlyMap<string, { readonly holds: 'one' | 'list' | 'named'; readonly inPlace: boolean }> =
  new Map([
    ['additionalProperties', { holds: 'one', inPlace: false }],
    ['unevaluatedProperties', { holds: 'one', inPlace: false }],
    ['propertyNames', { holds: 'one', inPlace: false }],
    ['items', { holds: 'one', inPlace: false }],
    ['unevaluatedItems', { holds: 'one', inPlace: false }],
    ['contains', { holds: 'one', inPlace: false }],
    ['contentSchema', { holds: 'one', inPlace: false }],
    ['not', { holds: 'one', inPlace: true }],
    ['if', { holds: 'one', inPlace: true }],
    ['then', { holds: 'one', inPlace: true }],
    ['else', { holds: 'one', inPlace: true }],
    ['allOf', { holds: 'list', inPlace: true }],
    ['anyOf', { holds: 'list', inPlace: true }],
    ['oneOf', { holds: 'list', inPlace: true }],
    ['prefixItems', { holds: 'list', inPlace: false }],
    ['properties', { holds: 'named', inPlace: false }],
    ['patternProperties', { holds: 'named', inPlace: false }],
    ['$defs', { holds: 'named', inPlace: false }],
    ['definitions', { holds: 'named', inPlace: false }],
    ['dependentSchemas', { holds: 'named', inPlace: true }],
    ['dependencies', { holds: 'named', inPlace: true }],
  ])

export type SchemaObject = { readonly [keyword: string]: unknown }

/** A schema directly inside another one. */
export interface Inner {
  readonly steps: Pointer
  readonly schema: JsonSchema
  /** Whether it checks the same value as the schema around it. */
  readonly inPlace: boolean
}

/** The schemas directly inside one, in the order in which they are written. */
export function inner(schema: JsonSchema): Inner[] {
  const found: Inner[] = []
  if (typeof schema === 'boolean') return found
  for (const keyword of Object.keys(schema)) {
    const kind = KEYWORDS.get(keyword)
    if (kind === undefined) continue
    const { holds, inPlace } = kind
    const value = own(schema, keyword)
    if (holds === 'one') {
      if (isSchema(value)) found.push({ steps: [keyword], schema: value, inPlace })
    } else if (holds === 'list' && Array.isArray(value)) {
      for (const [index, child] of value.entries())
        if (isSchema(child)) found.push({ steps: [keyword, index], schema: child, inPlace })
    } else if (holds === 'named' && isSchemaObject(value)) {
      for (const name of Object.keys(value)) {
        const child = own(value, name)
        if (isSchema(child)) found.push({ steps: [keyword, name], schema: child, inPlace })
      }
    }
  }
  return found
}

/** One step by a keyword: the value that it makes a schema, and how many steps of a pointer that is. */
export function stepDown(schema: SchemaObject, keyword: string, name: Pointer[number] | undefined) {
  const holds = KEYWORDS.get(keyword)?.holds
  const value = own(schema, keyword)
  if (holds === 'one') return { child: value, length: 1 }
  const isHeld = holds === 'list' ? Array.isArray(value) : holds === 'named' && isSchemaObject(value)
  if (name === undefined || !isHeld) return undefined
  return { child: own(value as SchemaObject, String(name)), length: 2 }
}

function isSchema(value: unknown): value is JsonSchema {
  return typeof value === 'boolean' || isSchemaObject(value)
}

/** Whether a value is a schema with keywords. */
export function isSchemaObject(value: unknown): value is SchemaObject {
  return isTable(value)
}
