// A schema and the path of an argument → the argument's schema, and the keywords on the way that also affect it. Part of
// filled-arguments.ts.

import { own } from '../model/own.ts'
import { isRemark } from '../schema/accepts.ts'
import { isSchemaObject, type SchemaObject } from '../schema/walk.ts'

/** No other keyword of an object or list affects the values of its parts. */
const PLAIN_OBJECT = ['type', 'properties', 'required', 'additionalProperties', 'minProperties']
const PLAIN_LIST = ['type', 'items', 'minItems']

export interface ArgumentSchema {
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
