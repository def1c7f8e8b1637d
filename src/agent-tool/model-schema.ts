// The schema of a tool's input without its internal fields, which a model must not see (Agent Tool, a MUST). Where it is not plain which
// field is internal, this leaves out one field too many, or refuses the schema.

import { valueAt } from '../json/pointer.ts'
import type { Pointer } from '../model/document.ts'
import { RlpError } from '../model/error.ts'
import { PARSE_LIMITS } from '../model/limits.ts'
import { own } from '../model/own.ts'
import type { JsonSchema } from '../model/tools.ts'
import { extent } from '../schema/extent.ts'
import { fragmentTokens } from '../schema/reference.ts'
import { inner, isSchemaObject, subschemasOf } from '../schema/walk.ts'
import { isByProperties, isMarked, isTooLarge, MAX_SEARCHED, schemaFields } from './marks.ts'

export interface ModelSchemaOptions {
  /** The executor's schema: fields that it marks are removed too. */
  readonly runtime?: JsonSchema | undefined
  /** Fields of the input that a record lists as internal. */
  readonly listed?: readonly string[]
}

export interface ModelSchema {
  readonly schema: JsonSchema
  /** Names of the internal fields, sorted; none if the schema speaks of none of them. */
  readonly removed: readonly string[]
}

/**
 * Removes internal fields from a schema: those that are marked in it, those that `runtime` marks at the same place, and those in `listed`. The
 * same schema is returned if it has none. References to other documents stay: resolve and inline them first.
 * @throws RlpError LINT_FAILED if a mark is not at a property, or a reference leads to a removed field
 * @throws RlpError LIMIT_EXCEEDED for a schema that nests deeper than any file may, or has more than {@link MAX_SEARCHED} subschemas
 */
export function modelSchema(schema: JsonSchema, options: ModelSchemaOptions = {}): ModelSchema {
  const { runtime = true, listed = [] } = options
  refuseLarge([schema, runtime])
  // Copied through JSON: an object that is in two places would be changed in both.
  const text = JSON.stringify(schema)
  const copy = JSON.parse(text) as Part
  const marked = [copy, JSON.parse(JSON.stringify(runtime))].flatMap(markedFields)
  const places = [...marked, ...listed.map(name => ['properties', name])]
  const names = new Set(places.map(nameOf))
  if (names.size > 0) {
    removeMentions(copy, names)
    removeFields(copy, places, names)
    removeUnused(copy)
  }
  if (JSON.stringify(copy) === text) return { schema, removed: [] }
  return { schema: copy, removed: [...names].sort() }
}

type Part = Record<string, unknown>

function markedFields(root: unknown): Pointer[] {
  const fields = new Set<unknown>()
  const places: Pointer[] = []
  for (const { pointer, schema } of subschemasOf(root)) {
    for (const [, field] of schemaFields(schema)) fields.add(field)
    if (!isMarked(schema)) continue
    if (!fields.has(schema))
      throw unclear(`#/${pointer.join('/')} is marked as internal, and is not a property`)
    places.push(pointer)
  }
  return places
}

/**
 * Removes fields, also from lists of required ones. `properties` alone lead to most of them, and each of these goes there. Any other place may
 * describe the same object. So it goes at all of these too, and a field that is found at one of them goes everywhere.
 */
function removeFields(root: Part, places: readonly Pointer[], names: ReadonlySet<string>): void {
  const remove = (part: Part | undefined, name: string) => {
    const properties = own(part, 'properties')
    if (!isSchemaObject(properties) || !Object.hasOwn(properties, name)) return
    delete (properties as Part)[name]
    // It also counted the removed field.
    delete part?.['minProperties']
  }
  const anywhere = new Set(places.filter(place => !isByProperties(place)).map(nameOf))
  for (const place of places.filter(isByProperties))
    remove(valueAt(root, place.slice(0, -2)) as Part | undefined, nameOf(place))
  for (const { pointer, schema } of subschemasOf(root)) {
    const part = schema as Part
    const hidden = isByProperties(pointer) ? anywhere : names
    for (const [name] of schemaFields(schema)) if (hidden.has(name)) remove(part, name)
    const required = own(part, 'required')
    if (!Array.isArray(required)) continue
    const left = new Set(schemaFields(schema).map(([name]) => name))
    part['required'] = required.filter(name => left.has(name) || !names.has(name))
  }
}

/** Values, not schemas: a name inside them is a key. */
const VALUES = ['default', 'examples', 'const', 'enum']
const WORDS = ['type', 'required']
/** Without one of its parts, such a keyword would say something else. */
const CONDITIONS = ['not', 'if', 'propertyNames', 'dependentSchemas', 'dependencies']

/** Removes what else names a removed field. One example or condition too few does no harm: the runtime's schema still judges each call. */
function removeMentions(root: Part, names: ReadonlySet<string>): void {
  for (const { schema } of subschemasOf(root)) {
    if (typeof schema === 'boolean') continue
    const part = schema as Part
    const schemas = new Set(inner(schema).map(({ steps: [keyword] }) => keyword))
    for (const [keyword, value] of Object.entries(part)) {
      if (WORDS.includes(keyword) || (schemas.has(keyword) && !CONDITIONS.includes(keyword))) continue
      if (isMention(value, names, VALUES.includes(keyword))) delete part[keyword]
    }
  }
}

function isMention(root: unknown, names: ReadonlySet<string>, isValue: boolean): boolean {
  const open = typeof root === 'object' ? [root] : []
  for (const value of open) {
    if (typeof value === 'string' && !isValue && names.has(value)) return true
    if (typeof value !== 'object' || value === null) continue
    if ((isMarked(value) && !isValue) || Object.keys(value).some(key => names.has(key))) return true
    for (const child of Object.values(value)) open.push(child)
  }
  return false
}

const DEFINITIONS = ['$defs', 'definitions']

/** Removes definitions that nothing refers to any more. */
function removeUnused(root: Part): void {
  const used = new Set<unknown>([root])
  const open: unknown[] = [{ ...root, $defs: {}, definitions: {} }]
  for (const part of open)
    for (const { schema } of subschemasOf(part)) {
      const ref = isSchemaObject(schema) ? schema['$ref'] : undefined
      if (typeof ref !== 'string' || !ref.startsWith('#')) continue
      const tokens = fragmentTokens(ref)
      const target = tokens && valueAt(root, tokens)
      if (tokens === undefined || target === undefined)
        throw unclear(`${ref} leads to nothing without its internal fields`)
      const whole = DEFINITIONS.includes(tokens[0] ?? '') ? valueAt(root, tokens.slice(0, 2)) : target
      if (!used.has(whole)) open.push(whole)
      used.add(whole)
    }
  for (const keyword of DEFINITIONS) {
    const definitions = own(root, keyword)
    if (!isSchemaObject(definitions)) continue
    root[keyword] = Object.fromEntries(Object.entries(definitions).filter(([, one]) => used.has(one)))
  }
}

function refuseLarge(schemas: readonly JsonSchema[]): void {
  const isDeep = schemas.some(schema => extent(schema).depth > PARSE_LIMITS.jsonDepth)
  if (!isDeep && !isTooLarge(schemas)) return
  const limit = isDeep ? `${PARSE_LIMITS.jsonDepth} levels` : `${MAX_SEARCHED} subschemas`
  throw new RlpError('LIMIT_EXCEEDED', `Cannot make the schema for a model: it has more than ${limit}`, {
    hint: 'Describe the input less closely',
  })
}

function unclear(state: string): RlpError {
  return new RlpError('LINT_FAILED', `Cannot make the schema for a model: ${state}`, {
    hint: 'Mark the property itself, in properties, with "visibility": "internal"',
  })
}

function nameOf(pointer: Pointer): string {
  return String(pointer.at(-1))
}
