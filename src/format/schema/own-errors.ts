// A value and one of our own schemas → its errors, as ajv would report them. Knows only the keywords of these schemas. It stops after a
// number of errors, which code from ajv cannot: a hostile document can hold two million mistakes.
import { own } from '../../model/own.ts'
import { isLonger } from './extent.ts'
import type { OwnSchema } from './own-schema.ts'
import type { RawError } from './raw-error.ts'
import { isOf } from './type.ts'

/**
 * The first errors of a value, in its own order; none if it fits. Stops after `most`.
 * @param value at most as deep as the strict parsers allow, which bounds the recursion
 * @param root the document that holds the targets of the schema's references
 */
export function ownErrors(value: unknown, schema: OwnSchema, root: OwnSchema, most: number): RawError[] {
  const judge = new Judge(root, most)
  judge.check(value, schema)
  return judge.errors
}

class Judge {
  readonly errors: RawError[] = []
  private readonly root: OwnSchema
  private readonly most: number
  /** The path to the current value. */
  private readonly path: (string | number)[] = []

  constructor(root: OwnSchema, most: number) {
    this.root = root
    this.most = most
  }

  check(data: unknown, schema: OwnSchema): void {
    if (this.errors.length >= this.most) return
    const { $ref, type, enum: allowedValues, const: allowedValue, allOf } = schema
    if ($ref !== undefined) this.check(data, this.target($ref))
    if (type !== undefined && !isOfOne(data, type)) this.report(data, schema, 'type', { type })
    else if (typeof data === 'string') this.text(data, schema)
    else if (typeof data === 'number') this.number(data, schema)
    else if (Array.isArray(data)) this.list(data, schema)
    else if (typeof data === 'object' && data !== null)
      this.object(data as Readonly<Record<string, unknown>>, schema)
    if (allowedValues?.includes(data) === false) this.report(data, schema, 'enum', { allowedValues })
    if (allowedValue !== undefined && data !== allowedValue)
      this.report(data, schema, 'const', { allowedValue })
    if (allOf !== undefined) for (const part of allOf) this.check(data, part)
    if (schema.if === undefined) return
    const branch = ownErrors(data, schema.if, this.root, 1).length === 0 ? schema.then : schema.else
    if (branch !== undefined) this.check(data, branch)
  }

  private text(data: string, schema: OwnSchema): void {
    const { pattern, maxLength: limit } = schema
    if (limit !== undefined && isLonger(data, limit)) this.report(data, schema, 'maxLength', { limit })
    if (pattern !== undefined && !compiled(pattern).test(data))
      this.report(data, schema, 'pattern', { pattern })
  }

  private number(data: number, schema: OwnSchema): void {
    const { minimum, maximum, exclusiveMinimum } = schema
    if (minimum !== undefined && data < minimum) this.report(data, schema, 'minimum', { limit: minimum })
    if (maximum !== undefined && data > maximum) this.report(data, schema, 'maximum', { limit: maximum })
    if (exclusiveMinimum !== undefined && data <= exclusiveMinimum)
      this.report(data, schema, 'exclusiveMinimum', { limit: exclusiveMinimum })
  }

  private list(data: readonly unknown[], schema: OwnSchema): void {
    const { items, minItems: least, maxItems: limit, uniqueItems } = schema
    if (least !== undefined && data.length < least) this.report(data, schema, 'minItems', { limit: least })
    if (limit !== undefined && data.length > limit) this.report(data, schema, 'maxItems', { limit })
    if (items !== undefined && items !== true) {
      for (let index = 0; index < data.length && this.errors.length < this.most; index++)
        this.child(index, data[index], items)
    }
    const twins = uniqueItems === true ? firstTwins(data) : undefined
    if (twins !== undefined) this.report(data, schema, 'uniqueItems', twins)
  }

  private object(data: Readonly<Record<string, unknown>>, schema: OwnSchema): void {
    const { required, properties, patternProperties, additionalProperties, maxProperties: limit } = schema
    const keys = Object.keys(data)
    if (limit !== undefined && keys.length > limit) this.report(data, schema, 'maxProperties', { limit })
    for (const missingProperty of required ?? []) {
      if (!Object.hasOwn(data, missingProperty)) this.report(data, schema, 'required', { missingProperty })
    }
    if (properties === undefined && additionalProperties === undefined) return
    for (const key of keys) {
      if (this.errors.length >= this.most) return
      const known = own(properties, key)
      if (known === true) continue
      if (known !== undefined) this.child(key, own(data, key), known)
      else if (additionalProperties === undefined || additionalProperties === true) continue
      else if (patternProperties !== undefined && fitsPattern(key, patternProperties)) continue
      else if (additionalProperties !== false) this.child(key, own(data, key), additionalProperties)
      else this.report(data, schema, 'additionalProperties', { additionalProperty: key })
    }
  }

  private child(step: string | number, data: unknown, schema: OwnSchema): void {
    this.path.push(step)
    this.check(data, schema)
    this.path.pop()
  }

  private report(data: unknown, parentSchema: OwnSchema, keyword: string, params: RawError['params']): void {
    if (this.errors.length >= this.most) return
    const instancePath = this.path.map(step => `/${escaped(String(step))}`).join('')
    this.errors.push({ instancePath, keyword, params, parentSchema, data })
  }

  private target(ref: string): OwnSchema {
    if (ref === '#') return this.root
    const found = own(this.root.$defs, ref.slice('#/$defs/'.length))
    if (found === undefined) throw new TypeError(`${ref} leads nowhere`)
    return found
  }
}

function isOfOne(data: unknown, type: string | readonly string[]): boolean {
  return typeof type === 'string' ? isOf(data, type) : type.some(one => isOf(data, one))
}

/** Two indexes with the same text. */
function firstTwins(data: readonly unknown[]): { readonly i: number; readonly j: number } | undefined {
  const places = new Map<unknown, number>()
  for (const [i, item] of data.entries()) {
    const j = places.get(item)
    if (j !== undefined) return { i, j }
    if (typeof item === 'string') places.set(item, i)
  }
  return undefined
}

const patterns = new Map<string, RegExp>()

function compiled(pattern: string): RegExp {
  const known = patterns.get(pattern) ?? new RegExp(pattern, 'u')
  patterns.set(pattern, known)
  return known
}

function fitsPattern(key: string, among: Readonly<Record<string, true>>): boolean {
  for (const pattern in among) if (compiled(pattern).test(key)) return true
  return false
}

/** A step as a JSON pointer writes it. */
function escaped(step: string): string {
  return step.replaceAll('~', '~0').replaceAll('/', '~1')
}
