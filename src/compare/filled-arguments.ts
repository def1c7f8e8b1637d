// A tool → the arguments that leave with its calls, each with its schema, for comparing an upgrade (docs/upgrades.md). Pure.
import { serialize } from '../contract/serialize.ts'
import { blake3Hex } from '../format/blake3.ts'
import { mentionsRef, SILENT } from '../format/schema/accepts.ts'
import { extent } from '../format/schema/extent.ts'
import { inlineSchema } from '../format/schema/inline.ts'
import { resolverIn } from '../format/schema/resolve.ts'
import { isSchemaObject } from '../format/schema/walk.ts'
import { placeholdersIn } from '../format/template.ts'
import { transportKind } from '../format/transports/index.ts'
import { PARSE_LIMITS } from '../model/limits.ts'
import { own } from '../model/own.ts'
import { type FilledArgument, NOT_COMPARED } from '../model/permissions.ts'
import type { JsonSchema, Tool } from '../model/tools.ts'

/** A larger schema is represented by its digest, because the state keeps all of them. */
const MOST_VALUES = 2_000
const MOST_CHARACTERS = 100_000
/** Of the arguments in the templates of one tool together. After that, each of them stands for the whole schema. */
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

/** No other keyword of an object or list affects the values of its parts. */
const PLAIN_OBJECT = ['type', 'properties', 'required', 'additionalProperties', 'minProperties']
const PLAIN_LIST = ['type', 'items', 'minItems']

/** A schema on the way to an argument, and the keywords on the way that also affect the argument. */
interface Step {
  readonly schema: unknown
  readonly beside: readonly unknown[]
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
  let left = MOST_OF_TOOL
  return [...paths].sort().map(([path, names]) => {
    if (inlined === undefined || room.values < 0) return { path, schema: true, beside: NOT_COMPARED }
    if (inlined.open.length > 0 || left < 0) return asWhole(path)
    let step: Step = { schema: inlined.schema, beside: [] }
    for (const name of names) step = into(step, name)
    if (mentionsRef(step)) return asWhole(path)
    const { values } = extent(step.schema)
    room.values -= values + extent(step.beside).values
    const isLarge = values > MOST_VALUES
    const { length } = isLarge ? '' : serialize(step.schema)
    const beside = step.beside.length === 0 ? '' : serialize(step.beside)
    if (path !== '') left -= length + beside.length
    if (isLarge || length > MOST_CHARACTERS || length > room.characters)
      return { path, schema: true, beside: digestOf([step.beside, step.schema]) }
    room.characters -= length
    return { path, schema: step.schema as JsonSchema, beside: beside === '' ? '' : digestOf(step.beside) }
  })
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

/**
 * A step into a property or item. Its schema admits at least what the tool does; keywords that may restrict it further are collected in
 * `beside`.
 */
function into({ schema, beside }: Step, name: string): Step {
  if (!isSchemaObject(schema)) return { schema, beside }
  const keywords = Object.entries(schema).filter(([key]) => !SILENT.test(key))
  const all: Readonly<Record<string, unknown>> = Object.fromEntries(keywords)
  const { properties, type, items } = all
  const types = type === undefined ? ['object', 'array'] : [type].flat()
  const isIndex = /^[0-9]+$/.test(name)
  const isItem = isIndex && types.length === 1 && types[0] === 'array'
  const isMember = types.includes('object') && !(isIndex && types.includes('array'))
  const plain = isItem ? PLAIN_LIST : isMember ? PLAIN_OBJECT : []
  const isPlain = keywords.every(([key]) => plain.includes(key))
  if (isItem) return isPlain ? { schema: items ?? true, beside } : { schema: true, beside: [...beside, all] }
  const named = isMember && isSchemaObject(properties) ? own(properties, name) : undefined
  if (isPlain) return { schema: named ?? all['additionalProperties'] ?? true, beside }
  if (named === undefined) return { schema: true, beside: [...beside, all] }
  const others = { ...(properties as Record<string, unknown>), [name]: true }
  return { schema: named, beside: [...beside, { ...all, properties: others }] }
}
