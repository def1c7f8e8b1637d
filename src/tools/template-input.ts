// Finds the value behind an input placeholder in the schema of a tool's input: does a call have such a value, and one that can be filled in? Answers only if
// the schema leaves no doubt.
import { isTable, own } from '../model/own.ts'
import type { JsonSchema, Tool } from '../model/tools.ts'
import { followRef, resolverIn } from '../schema/reference.ts'
import { probablyMeant } from '../text/did-you-mean.ts'

export type InputFact =
  | { readonly is: 'undecided' }
  /** A call without a value, and one with an object or a list, is refused. */
  | {
      readonly is: 'known'
      readonly gap: InputGap | undefined
      readonly holds: 'object' | 'list' | undefined
    }
  /** `at` is the existing part of the path, `name` the missing one; `meant` a similar name. */
  | {
      readonly is: 'missing'
      readonly at: readonly string[]
      readonly name: string
      readonly rest: readonly string[]
      readonly meant: string | undefined
    }

/** A schema, the document in which its local references start, and the path of that document. */
interface Place {
  readonly schema: unknown
  readonly root: unknown
  readonly path: string
}

/** With one of these keywords `properties` does not list all members. */
const OPEN_ENDED = ['allOf', 'anyOf', 'oneOf', 'if', 'patternProperties', 'dependentSchemas', 'dependencies']

/** References may form circles. */
const MOST_HOPS = 32

/** @param fileAt the parsed JSON file of the bundle at a path, if there is one */
export function findInput(
  tool: Pick<Tool, 'inputSchema' | 'schemaRefs'>,
  path: readonly string[],
  fileAt: (path: string) => unknown,
): InputFact {
  let place: Place = { schema: tool.inputSchema, root: tool.inputSchema, path: 'tools.json' }
  let gap: InputGap | undefined
  for (let index = 0; index < path.length; index++) {
    const name = path[index] ?? ''
    const target = follow(place, tool, fileAt)
    if (target === undefined) return { is: 'undecided' }
    const next = step(target.schema, name)
    if (next === 'undecided') return { is: 'undecided' }
    if (next === 'missing') {
      const meant = probablyMeant(name, namesIn(target.schema))
      return { is: 'missing', at: path.slice(0, index), name, rest: path.slice(index + 1), meant }
    }
    const why = gapAt(target.schema, name)
    if (why !== undefined) gap ??= { at: path.slice(0, index + 1), is: why }
    place = { schema: next.schema, root: target.root, path: target.path }
    const value = follow(place, tool, fileAt)?.schema
    if (isNullable(value)) gap ??= { at: path.slice(0, index + 1), is: 'null' }
  }
  return { is: 'known', gap, holds: holding(follow(place, tool, fileAt)?.schema) }
}

/** The schema behind a chain of references. Undefined if it is not in the bundle, or if other keywords apply too. */
function follow(
  from: Place,
  tool: Pick<Tool, 'schemaRefs'>,
  fileAt: (path: string) => unknown,
): Place | undefined {
  let place = from
  for (let hops = 0; hops < MOST_HOPS; hops++) {
    const { schema } = place
    if (!isTable(schema) || typeof schema['$ref'] !== 'string') return place
    if ('properties' in schema || OPEN_ENDED.some(keyword => Object.hasOwn(schema, keyword))) return undefined
    const { root, path } = place
    const next = followRef(schema['$ref'], { schema: root, path }, path, resolverIn(tool.schemaRefs, fileAt))
    if (next.is !== 'found') return undefined
    place = { schema: next.schema, root: next.where.schema, path: next.where.path }
  }
  return undefined
}

function step(schema: unknown, name: string): { schema: JsonSchema } | 'missing' | 'undecided' {
  if (!isTable(schema) || OPEN_ENDED.some(keyword => Object.hasOwn(schema, keyword))) return 'undecided'
  const { type, properties, items } = schema
  if (typeof type === 'string' && type !== 'object' && type !== 'array') return 'missing'
  if (/^[0-9]+$/.test(name) && type !== 'object')
    return isSchema(items) && !('prefixItems' in schema) ? { schema: items } : 'undecided'
  if (type === 'array') return 'missing'
  if (!isTable(properties)) return schema['additionalProperties'] === false ? 'missing' : 'undecided'
  if (!Object.hasOwn(properties, name)) {
    // Any rule for other names means that they may exist.
    return (schema['additionalProperties'] ?? false) === false ? 'missing' : 'undecided'
  }
  const property = own(properties, name)
  return isSchema(property) ? { schema: property } : 'undecided'
}

function namesIn(schema: unknown): string[] {
  const properties = isTable(schema) ? schema['properties'] : undefined
  // A typing error is only looked for among as many names as a person writes.
  return isTable(properties) ? Object.keys(properties).slice(0, 200) : []
}

function isSchema(value: unknown): value is JsonSchema {
  return typeof value === 'boolean' || isTable(value)
}

/** A part of the path that a call that fits the schema may leave out, or send as null. */
export interface InputGap {
  readonly at: readonly string[]
  readonly is: 'optional' | 'null' | 'short'
}

/** Why a call may have no value for a name in an object or a list of this schema; undefined if it always has one. */
function gapAt(schema: unknown, name: string): InputGap['is'] | undefined {
  if (!isTable(schema)) return undefined
  const { properties, required, minItems } = schema
  if (isTable(properties) && Object.hasOwn(properties, name)) {
    if (Array.isArray(required) && required.length <= FEW_NAMES && required.includes(name)) return undefined
    const { names, isMisspelt } = requiredOf(schema, required, properties)
    return names.has(name) || isMisspelt ? undefined : 'optional'
  }
  return Number(name) < Number(minItems ?? 0) ? undefined : 'short'
}

/** A list that is looked through faster than it is made a set. */
const FEW_NAMES = 20

interface Required {
  readonly names: ReadonlySet<unknown>
  /** A required name without a property is mostly one of them, misspelt: rules about the schema say so. */
  readonly isMisspelt: boolean
}

/** Safe as a cache, because schemas never change after they were read. A hostile tool has as many placeholders as properties. */
const known = new WeakMap<object, Required>()

function requiredOf(schema: object, list: unknown, properties: object): Required {
  const seen = known.get(schema)
  if (seen !== undefined) return seen
  const names = new Set<unknown>(Array.isArray(list) ? list : [])
  const required = { names, isMisspelt: [...names].some(name => !Object.hasOwn(properties, String(name))) }
  known.set(schema, required)
  return required
}

/** A value of this schema that cannot be filled in. */
function holding(schema: unknown): 'object' | 'list' | undefined {
  if (isTable(schema) && typeof schema['type'] === 'string' && !NESTED.has(schema['type'])) return undefined
  const types = typesOf(schema).filter(type => type !== 'null')
  if (types.length === 0 || types.some(type => type !== 'object' && type !== 'array')) return undefined
  return types.includes('object') ? 'object' : 'list'
}

const NESTED: ReadonlySet<string> = new Set(['object', 'array'])

function isNullable(schema: unknown): boolean {
  if (isTable(schema) && typeof schema['type'] === 'string') return schema['type'] === 'null'
  return typesOf(schema).includes('null')
}

function typesOf(schema: unknown): readonly unknown[] {
  return isTable(schema) && schema['type'] !== undefined ? [schema['type']].flat() : []
}
