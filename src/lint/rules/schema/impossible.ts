import type { Pointer } from '../../../model/document.ts'
import { own } from '../../../model/own.ts'
import { withoutSlashes } from '../../../schema/meant-pattern.ts'
import { checkPattern } from '../../../schema/pattern.ts'
import { fitsType } from '../../../schema/type.ts'
import type { SchemaObject } from '../../../schema/walk.ts'
import { probablyMeant } from '../../../text/did-you-mean.ts'
import { matchesNothing } from '../../../text/pattern-fits.ts'
import { quoteText } from '../../../text/quote.ts'
import type { Rule } from '../rule.ts'
import { placeIn } from '../schemas.ts'
import { writeBare } from './odd-pattern.ts'

export const schemaImpossible: Rule = {
  id: 'schema/impossible',
  severity: 'error',
  scope: 'source',
  summary: 'a schema that no value fits',
  why: 'Two keywords contradict each other, so every call is refused, or every result: the tool can never be used.',
  fix: 'Correct one of the two keywords.',
  looks: 'schema',
  check({ schema }, report) {
    if (!schema.isSound) return
    if (schema.schema === false)
      report({
        ...placeIn(schema, []),
        message: 'Nothing fits the schema false',
        fix: 'Describe the values',
      })
    for (const { pointer, schema: node } of schema.nodes) {
      const found = typeof node === 'boolean' ? undefined : contradiction(node)
      if (found === undefined) continue
      const { at, message, fix } = found
      report({
        ...placeIn(schema, [...pointer, ...at]),
        message,
        fix,
      })
    }
  },
}

interface Contradiction {
  readonly at: Pointer
  readonly message: string
  readonly fix: string
}

function contradiction(schema: SchemaObject): Contradiction | undefined {
  return (
    forbiddenRequired(schema) ??
    crossedBounds(schema) ??
    tooManyKeys(schema) ??
    foreignValues(schema) ??
    deadPattern(schema)
  )
}

/** A key that is both required and forbidden. */
function forbiddenRequired(schema: SchemaObject): Contradiction | undefined {
  const { required, additionalProperties, patternProperties } = schema
  if (!Array.isArray(required)) return undefined
  const properties = (schema['properties'] ?? {}) as Readonly<Record<string, unknown>>
  const isClosed = additionalProperties === false && patternProperties === undefined
  let index = 0
  while (index < required.length) {
    const name = required[index]
    if (Object.hasOwn(properties, name) ? own(properties, name) === false : isClosed) break
    index++
  }
  if (index === required.length) return undefined
  const name = String(required[index])
  const names = Object.keys(properties)
  const isFew = names.length <= MOST_NAMES && required.length <= MOST_NAMES
  const meant = isFew
    ? probablyMeant(
        name,
        names.filter(one => !required.includes(one)),
      )
    : undefined
  return {
    at: ['required', index],
    message: `${quoteText(name)} is required, and ${Object.hasOwn(properties, name) ? 'its property is false' : 'no other keys than the properties are let through'}`,
    fix:
      meant === undefined
        ? `Add ${quoteText(name)} to properties, or remove it from required`
        : `Did you mean ${quoteText(meant)}?`,
  }
}

/** The most names that are compared: a person writes no more. */
const MOST_NAMES = 200

const BOUNDS: readonly { readonly low: string; readonly highs: readonly string[] }[] = [
  { low: 'minimum', highs: ['maximum', 'exclusiveMaximum'] },
  { low: 'exclusiveMinimum', highs: ['exclusiveMaximum', 'maximum'] },
  { low: 'minLength', highs: ['maxLength'] },
  { low: 'minItems', highs: ['maxItems'] },
  { low: 'minProperties', highs: ['maxProperties'] },
]

/** More keys than a closed object can have. */
function tooManyKeys(schema: SchemaObject): Contradiction | undefined {
  const { minProperties, properties, additionalProperties, patternProperties } = schema
  if (typeof minProperties !== 'number' || additionalProperties !== false) return undefined
  if (patternProperties !== undefined) return undefined
  const count = Object.keys(Object(properties ?? {})).length
  if (minProperties <= count) return undefined
  return {
    at: ['minProperties'],
    message: `minProperties is ${minProperties}, and no other keys than the ${count} properties are let through`,
    fix: 'Correct minProperties, or add properties',
  }
}

function crossedBounds(schema: SchemaObject): Contradiction | undefined {
  const { minimum, exclusiveMinimum, minLength, minItems, minProperties } = schema
  const least = minimum ?? exclusiveMinimum ?? minLength ?? minItems ?? minProperties
  if (least === undefined) return undefined
  for (const { low, highs } of BOUNDS) {
    const least = own(schema, low)
    if (typeof least !== 'number') continue
    for (const high of highs) {
      const most = own(schema, high)
      if (typeof most !== 'number') continue
      const mayMeet = !low.startsWith('ex') && !high.startsWith('ex')
      if (least < most || (mayMeet && least === most)) continue
      return {
        at: [low],
        message: `${low} is ${least} and ${high} is ${most}: no number fits`,
        fix: `Correct ${low} or ${high}`,
      }
    }
  }
  return undefined
}

/** A pattern that no text matches. */
function deadPattern({ pattern }: SchemaObject): Contradiction | undefined {
  if (typeof pattern !== 'string' || checkPattern(pattern) !== undefined || !matchesNothing(pattern))
    return undefined
  const bare = withoutSlashes(pattern)
  const why = bare === undefined ? 'because of where it has ^ or $' : 'because its slashes are a part of it'
  return {
    at: ['pattern'],
    message: `No text matches the pattern ${quoteText(pattern, 60)}, ${why}`,
    fix: bare === undefined ? 'Write ^ at the beginning alone, and $ at the end' : writeBare(bare),
  }
}

/** No value of `enum`, or not the one of `const`, has the type. */
function foreignValues(schema: SchemaObject): Contradiction | undefined {
  if (schema['type'] === undefined) return undefined
  if (schema['enum'] === undefined && !Object.hasOwn(schema, 'const')) return undefined
  const keyword = Object.hasOwn(schema, 'const') ? 'const' : 'enum'
  const values = keyword === 'const' ? [schema['const']] : schema['enum']
  if (!Array.isArray(values) || values.some(value => fitsType(value, schema))) return undefined
  return {
    at: [keyword],
    message: `No value of ${keyword} is of the type that the schema asks for`,
    fix: 'Correct the type, or the values',
  }
}
