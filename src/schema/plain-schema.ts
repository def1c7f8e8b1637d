// Accepts plain schemas of tools in one walk, without building anything. A plain schema has no reference, name, pattern or dialect, and only
// the keywords that are listed here. The meta-schema decides what each keyword may hold.

import { isTable, own } from '../model/own.ts'
import { ownSchemas } from './generated/schemas.js'
import { HOLDERS } from './keywords.ts'
import { MAX_SCHEMA_VALUES, MAX_SUBSCHEMAS } from './link.ts'
import { fitsOwn } from './own-errors.ts'

/** The size of a plain schema. Such a schema is sound: no rule of verification finds anything in it. */
export interface PlainExtent {
  /** As `extent` counts them. */
  readonly values: number
  /** Its subschemas, each of which counts as one in `weightOf`. */
  readonly weight: number
}

/** Returns the size of a plain schema, or undefined if the schema is not plain. It may still be sound. */
export function acceptSchema(schema: unknown): PlainExtent | undefined {
  const walk = new PlainWalk()
  if (!walk.accepts(schema, 0) || walk.values > MAX_SCHEMA_VALUES) return undefined
  return walk
}

/** Levels of schemas in schemas. Each takes at most two levels of JSON. */
const MOST_LEVELS = 30

class PlainWalk {
  values = 0
  weight = 0

  accepts(schema: unknown, level: number): boolean {
    this.weight++
    if (this.weight > MAX_SUBSCHEMAS || level > MOST_LEVELS) return false
    if (typeof schema === 'boolean') return true
    if (!isTable(schema)) return false
    for (const keyword in schema) {
      if (!Object.hasOwn(schema, keyword)) continue
      this.values++
      const accepted = KEYWORDS.get(keyword)
      if (accepted === undefined || !accepted(own(schema, keyword), this, level)) return false
    }
    return true
  }

  acceptsList(schemas: readonly unknown[], level: number): boolean {
    this.values += schemas.length
    for (let index = 0; index < schemas.length; index++)
      if (!this.accepts(schemas[index], level)) return false
    return true
  }

  acceptsNamed(schemas: Readonly<Record<string, unknown>>, level: number): boolean {
    for (const name in schemas) {
      if (!Object.hasOwn(schemas, name)) continue
      this.values++
      if (!this.accepts(own(schemas, name), level)) return false
    }
    return true
  }

  /** A value that judges nothing by what is inside it: a text, a number, or a list of such. */
  counts(value: unknown): boolean {
    if (!Array.isArray(value)) return typeof value !== 'object' || value === null
    this.values += value.length
    for (let index = 0; index < value.length; index++)
      if (typeof value[index] === 'object' && value[index] !== null) return false
    return true
  }
}

type Accepted = (value: unknown, walk: PlainWalk, level: number) => boolean

const BY_HOLDER: Readonly<Record<'one' | 'list' | 'named', Accepted>> = {
  one: (value, walk, level) => walk.accepts(value, level + 1),
  list: (value, walk, level) => isFilled(value) && walk.acceptsList(value, level + 1),
  named: (value, walk, level) => isTable(value) && walk.acceptsNamed(value, level + 1),
}

function isFilled(value: unknown): value is readonly unknown[] {
  return Array.isArray(value) && value.length > 0
}

/** By keyword. A keyword that is not here goes to the strict part, also one that the meta-schema knows. */
const KEYWORDS: ReadonlyMap<string, Accepted> = new Map(
  [
    'type enum const minimum maximum exclusiveMinimum exclusiveMaximum multipleOf minLength maxLength minItems maxItems uniqueItems',
    'minProperties maxProperties required title description default examples deprecated readOnly writeOnly format',
    'properties additionalProperties items prefixItems allOf anyOf oneOf not if then else',
  ]
    .flatMap(words => words.split(' '))
    .map(keyword => [keyword, acceptedAs(keyword)]),
)

function acceptedAs(keyword: string): Accepted {
  const holds = HOLDERS.get(keyword)
  if (holds !== undefined) return BY_HOLDER[holds]
  const { meta } = ownSchemas
  const part = own(meta.properties, keyword)
  if (part === undefined) throw new TypeError(`the meta-schema has no ${keyword}`)
  if (part === true) return (value, walk) => walk.counts(value)
  const accepted: Accepted = (value, walk) => fitsOwn(value, part, meta) && walk.counts(value)
  // The meta-schema allows an enum of no values, which is a finding.
  return keyword === 'enum'
    ? (value, walk, level) => isFilled(value) && accepted(value, walk, level)
    : accepted
}
