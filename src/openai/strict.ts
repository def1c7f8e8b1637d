// Judges whether OpenAI could enforce a schema exactly (`strict: true`), by its rules for structured outputs. Only keywords that the rules name count as
// supported: a wrong `strict: true` makes every request with the tool fail.
import type { JsonSchema } from '../model/tools.ts'
import { inner, isSchemaObject, type SchemaObject } from '../schema/walk.ts'
import { quoteText, quoteValue } from '../text/quote.ts'
import { patternRefusal } from './refused.ts'

const KEYWORDS: ReadonlySet<string> = new Set([
  ...[
    'type',
    'properties',
    'required',
    'additionalProperties',
    'items',
    'anyOf',
    '$ref',
    '$defs',
    'enum',
    'const',
  ],
  ...['title', 'description', 'pattern', 'format', 'multipleOf', 'minimum', 'maximum', 'exclusiveMinimum'],
  ...['exclusiveMaximum', 'minItems', 'maxItems', '$schema'],
])

const TYPES: readonly unknown[] = ['string', 'number', 'integer', 'boolean', 'object', 'array', 'null']

const FORMATS: readonly unknown[] = [
  ...['date-time', 'time', 'date', 'duration', 'email', 'hostname', 'ipv4', 'ipv6', 'uuid'],
]

const MAX_DEPTH = 10

const MAX_PROPERTIES = 5_000

const MAX_CHARACTERS = 120_000

const MAX_ENUM_VALUES = 1_000

/** An enum with more values than this is limited to this many characters. */
const LONG_ENUM = 250

const MAX_LONG_ENUM_CHARACTERS = 15_000

/** Totals over the whole schema. */
interface Sum {
  properties: number
  characters: number
  values: number
}

/** Half a sentence; undefined if strict is possible. */
export function strictProblem(root: SchemaObject): string | undefined {
  const sum: Sum = { properties: 0, characters: 0, values: 0 }
  if (Object.hasOwn(root, 'anyOf')) return 'anyOf is at its root'
  // Depth first, each with the number of objects and lists around it.
  const open: { readonly schema: JsonSchema; readonly depth: number }[] = [{ schema: root, depth: 1 }]
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { schema, depth } = next
    const problem = depth > MAX_DEPTH ? `it nests more than ${MAX_DEPTH} levels` : partProblem(schema, sum)
    if (problem !== undefined) return problem
    for (const { steps, schema: child } of inner(schema)) {
      if (steps[0] === 'additionalProperties') continue
      open.push({ schema: child, depth: steps[0] === 'anyOf' || steps[0] === '$defs' ? depth : depth + 1 })
    }
  }
  if (sum.properties > MAX_PROPERTIES) return `it has more than ${MAX_PROPERTIES} properties`
  if (sum.values > MAX_ENUM_VALUES) return `it lists more than ${MAX_ENUM_VALUES} values`
  return sum.characters > MAX_CHARACTERS
    ? `its names and values have more than ${MAX_CHARACTERS} characters`
    : undefined
}

function partProblem(schema: JsonSchema, sum: Sum): string | undefined {
  if (typeof schema === 'boolean') return 'a part of it takes anything, or nothing'
  const odd = Object.keys(schema).find(keyword => !KEYWORDS.has(keyword))
  if (odd !== undefined) return `${quoteText(odd)} is not supported there`
  const { type, $ref, anyOf, format, pattern } = schema
  if ($ref !== undefined)
    return Object.keys(schema).every(key => key === '$ref' || key === '$defs')
      ? undefined
      : 'a $ref has other keywords beside it'
  const values = [
    ...((schema['enum'] as unknown[] | undefined) ?? []),
    ...(Object.hasOwn(schema, 'const') ? [schema['const']] : []),
  ]
  if (type === undefined && anyOf === undefined && values.length === 0) return 'a part of it has no type'
  const types = [type ?? []].flat() as unknown[]
  if (types.some(one => !TYPES.includes(one))) return 'a type is not known there'
  if (format !== undefined && !FORMATS.includes(format))
    return `the format ${quoteValue(format)} is not supported there`
  const refusal = typeof pattern === 'string' ? patternRefusal(pattern) : undefined
  if (refusal !== undefined) return `a pattern ${refusal}`
  return (
    valuesProblem(values, sum) ??
    (types.includes('object') ? objectProblem(schema, sum) : undefined) ??
    (types.includes('array') && !isSchemaObject(schema['items'])
      ? 'a list does not describe its items'
      : undefined)
  )
}

function valuesProblem(values: readonly unknown[], sum: Sum): string | undefined {
  if (values.some(value => typeof value === 'object' && value !== null))
    return 'a listed value is an object or a list'
  const characters = values.reduce<number>(
    (total, value) => total + (typeof value === 'string' ? value.length : 0),
    0,
  )
  sum.values += values.length
  sum.characters += characters
  const isLong = values.length > LONG_ENUM && characters > MAX_LONG_ENUM_CHARACTERS
  return isLong ? `the texts of an enum have more than ${MAX_LONG_ENUM_CHARACTERS} characters` : undefined
}

function objectProblem(
  { properties, required, additionalProperties, $defs }: SchemaObject,
  sum: Sum,
): string | undefined {
  if (additionalProperties !== false) return 'an object takes further properties'
  const names = new Set(isSchemaObject(properties) ? Object.keys(properties) : [])
  const demanded = new Set<unknown>(Array.isArray(required) ? required : [])
  const optional = [...names].find(name => !demanded.has(name))
  if (optional !== undefined) return `${quoteText(optional)} is not required`
  if ([...demanded].some(name => typeof name !== 'string' || !names.has(name)))
    return 'a property is required and not described'
  sum.properties += names.size
  for (const name of [...names, ...Object.keys($defs ?? {})]) sum.characters += name.length
  return undefined
}
