// Finds the arguments that leave with the calls of a tool, each with its schema, to compare an upgrade (docs/upgrades.md). Pure. Keywords
// on the way to an argument's schema also limit its values, so they are kept with it.
import { blake3Hex } from '../bundle/blake3.ts'
import { serialize } from '../contract/serialize.ts'
import { PARSE_LIMITS } from '../model/limits.ts'
import { own } from '../model/own.ts'
import { type FilledArgument, NOT_COMPARED } from '../model/permissions.ts'
import type { JsonSchema, Tool } from '../model/tools.ts'
import { isRemark, mentionsRef } from '../schema/accepts.ts'
import { extent } from '../schema/extent.ts'
import { inlineSchema } from '../schema/inline.ts'
import { resolverIn } from '../schema/reference.ts'
import { isSchemaObject, type SchemaObject } from '../schema/walk.ts'
import { placeholdersIn } from '../tools/template.ts'
import { transportKind } from '../tools/transports/index.ts'

/** A larger schema is represented by its digest, because the state keeps all of them. */
const MOST_VALUES = 2_000
const MOST_CHARACTERS = 100_000
/** Of the arguments in the templates of one tool together. With more, each of them stands for the whole schema. */
const MOST_OF_TOOL = 200_000
/** Of the tools of one agent together: many tools may refer to one large schema. */
const MOST_OF_ALL = { characters: 1_500_000, values: PARSE_LIMITS.allJsonValues / 2 }

/** How much of the schemas of an agent is still kept, and how many values are still looked at. */
export interface Room {
  characters: number
  values: number
}

export function roomForSchemas(): Room {
  return { ...MOST_OF_ALL }
}

/**
 * @param fileAt the parsed JSON file of the bundle at a path, if there is one
 * @param room gets smaller with each schema. Without room arguments are not compared, and count as wider in each upgrade.
 */
export function filledArguments(
  tool: Tool,
  fileAt: (path: string) => unknown,
  room: Room = roomForSchemas(),
): FilledArgument[] {
  const kind = transportKind(tool.transport)
  const paths = new Map<string, readonly string[]>()
  if (kind.sendsAll(tool.transport)) paths.set('', [])
  for (const { text } of kind.templates(tool.transport))
    for (const part of placeholdersIn(text))
      if (part.kind === 'input') paths.set(part.path.join('.'), part.path)
  if (paths.size === 0) return []
  const inlined = room.values > 0 ? inlinedIn(room, tool, fileAt) : undefined
  // A recursive schema, or one with references that only the runtime knows, is compared as a whole.
  let whole: string | undefined
  const asWhole = (path: string): FilledArgument => {
    whole ??= digestOf([tool.inputSchema, tool.schemaRefs, inlined?.schema])
    return { path, schema: true, beside: whole }
  }
  if (inlined === undefined) return [...paths.keys()].sort().map(notCompared)
  const argumentAt = argumentsIn(inlined.schema)
  const steps = [...paths].sort().map(([path, names]) => [path, argumentAt(names)] as const)
  const filling = steps.flatMap(([path, step]) => (path === '' ? [] : step))
  const isTooMuch = lengthOf(filling) > MOST_OF_TOOL
  return steps.map(([path, step]) => {
    if (room.values < 0) return notCompared(path)
    if (inlined.open.length > 0 || (isTooMuch && path !== '')) return asWhole(path)
    const { schema } = step
    const beside = step.beside.map(besideValue)
    if (mentionsRef([schema, beside])) return asWhole(path)
    const { values } = extent(schema)
    room.values -= values + extent(beside).values
    const isLarge = values > MOST_VALUES
    const { length } = isLarge ? '' : serialize(schema)
    if (isLarge || length > MOST_CHARACTERS || length > room.characters)
      return { path, schema: true, beside: digestOf([beside, schema]) }
    room.characters -= length
    return { path, schema: schema as JsonSchema, beside: beside.length === 0 ? '' : digestOf(beside) }
  })
}

function notCompared(path: string): FilledArgument {
  return { path, schema: true, beside: NOT_COMPARED }
}

/** The characters of all of them; those of one schema are counted for each, and written once. */
function lengthOf(steps: readonly ArgumentSchema[]): number {
  const known = new Map<unknown, number>()
  const one = (schema: unknown): number => {
    const before = known.get(schema)
    if (before !== undefined) return before
    const { length } = serialize(schema)
    known.set(schema, length)
    return length
  }
  return steps.reduce(
    (sum, { schema, beside }) => beside.reduce((sum, { all }) => sum + one(all), sum + one(schema)),
    0,
  )
}

/** Undefined if the schema cannot be used. */
function inlinedIn(room: Room, { inputSchema, schemaRefs }: Tool, fileAt: (path: string) => unknown) {
  const read = new Set<unknown>()
  const counting = (path: string) => {
    const file = fileAt(path)
    if (!read.has(file)) room.values -= extent(file).values
    read.add(file)
    return file
  }
  const inlined = inlineSchema(inputSchema, resolverIn(schemaRefs, counting))
  if ('problem' in inlined) return undefined
  room.values -= extent(inlined.schema).values
  return inlined
}

/** All that can be compared is equality. */
function digestOf(value: unknown): string {
  return blake3Hex(new TextEncoder().encode(serialize(value)))
}

/** No other keyword of an object or list affects the values of its parts. */
const PLAIN_OBJECT = ['type', 'properties', 'required', 'additionalProperties', 'minProperties']
const PLAIN_LIST = ['type', 'items', 'minItems']

interface ArgumentSchema {
  /** It admits at least what the tool does. */
  readonly schema: unknown
  /** May restrict it further. */
  readonly beside: readonly Beside[]
}

/** Keywords of a schema, less what they say of one property. */
export interface Beside {
  readonly all: SchemaObject
  readonly except?: string
}

/** What is read of a schema once, for all paths that lead through it. */
interface Read {
  /** Its keywords that may refuse a value. */
  readonly all: SchemaObject
  readonly types: readonly unknown[]
  readonly isPlainObject: boolean
  readonly isPlainList: boolean
}

/** For the paths of one tool. */
export function argumentsIn(root: unknown): (path: readonly string[]) => ArgumentSchema {
  const known = new Map<SchemaObject, Read>()
  const reading = (schema: SchemaObject): Read => {
    const before = known.get(schema)
    if (before !== undefined) return before
    const read = readSchema(schema)
    known.set(schema, read)
    return read
  }
  return path =>
    path.reduce<ArgumentSchema>((at, name) => into(at, name, reading), { schema: root, beside: [] })
}

/** As a value: what it says of the property is left out. */
export function besideValue({ all, except }: Beside): unknown {
  return except === undefined
    ? all
    : { ...all, properties: { ...(all['properties'] as object), [except]: true } }
}

function readSchema(schema: SchemaObject): Read {
  const keywords = Object.entries(schema).filter(([key]) => !isRemark(key))
  const all = Object.fromEntries(keywords)
  const { type } = all
  return {
    all,
    types: type === undefined ? ['object', 'array'] : [type].flat(),
    isPlainObject: keywords.every(([key]) => PLAIN_OBJECT.includes(key)),
    isPlainList: keywords.every(([key]) => PLAIN_LIST.includes(key)),
  }
}

/** A step into a property or item. */
function into(
  { schema, beside }: ArgumentSchema,
  name: string,
  reading: (schema: SchemaObject) => Read,
): ArgumentSchema {
  if (!isSchemaObject(schema)) return { schema, beside }
  const { all, types, isPlainObject, isPlainList } = reading(schema)
  const { properties, items } = all
  const isIndex = /^[0-9]+$/.test(name)
  if (isIndex && types.length === 1 && types[0] === 'array')
    return isPlainList ? { schema: items ?? true, beside } : { schema: true, beside: [...beside, { all }] }
  const isMember = types.includes('object') && !(isIndex && types.includes('array'))
  const named = isMember && isSchemaObject(properties) ? own(properties, name) : undefined
  if (isMember && isPlainObject) return { schema: named ?? all['additionalProperties'] ?? true, beside }
  if (named === undefined) return { schema: true, beside: [...beside, { all }] }
  return { schema: named, beside: [...beside, { all, except: name }] }
}
