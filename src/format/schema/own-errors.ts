// A value and one of our own schemas → its errors, as ajv would report them. Knows only the keywords of these schemas. It stops after a
// number of errors, which code from ajv cannot: a hostile document can hold two million mistakes.
import { own } from '../../model/own.ts'
import { isLonger } from './extent.ts'
import type { OwnSchema } from './own-schema.ts'
import type { RawError } from './raw-error.ts'
import { type ReadySchema, readySchema } from './ready-schema.ts'
import { kindOf } from './type.ts'

/**
 * The first errors of a value, in its own order; none if it fits. Stops after `most`.
 * @param value at most as deep as the strict parsers allow, which bounds the recursion
 * @param root the document that holds the targets of the schema's references
 */
export function ownErrors(value: unknown, schema: OwnSchema, root: OwnSchema, most: number): RawError[] {
  const judge = new Judge(most)
  judge.check(value, readySchema(schema, root))
  return judge.errors
}

class Judge {
  readonly errors: RawError[] = []
  private readonly most: number
  /** The path to the current value. */
  private readonly path: (string | number)[] = []

  constructor(most: number) {
    this.most = most
  }

  check(data: unknown, schema: ReadySchema): void {
    if (this.errors.length >= this.most) return
    const { ref, kinds, allowedValues, allOf, condition } = schema
    if (ref !== undefined) this.check(data, ref)
    const kind = kindOf(data)
    if (kinds !== undefined && (kinds & kind) === 0)
      this.report(data, schema, 'type', { type: schema.written.type })
    else if (typeof data === 'string') this.text(data, schema)
    else if (typeof data === 'number') this.number(data, schema)
    else if (Array.isArray(data)) this.list(data, schema)
    else if (typeof data === 'object' && data !== null)
      this.object(data as Readonly<Record<string, unknown>>, schema)
    if (allowedValues?.includes(data) === false) this.report(data, schema, 'enum', { allowedValues })
    const allowedValue = schema.written.const
    if (schema.hasConst && data !== allowedValue) this.report(data, schema, 'const', { allowedValue })
    if (allOf !== undefined) for (const part of allOf) this.check(data, part)
    if (condition === undefined) return
    const branch = isFit(data, kind, condition.if) ? condition.then : condition.else
    if (branch !== undefined) this.check(data, branch)
  }

  private text(data: string, schema: ReadySchema): void {
    const { pattern, maxLength: limit } = schema
    if (limit !== undefined && isLonger(data, limit)) this.report(data, schema, 'maxLength', { limit })
    if (pattern !== undefined && !pattern.test(data))
      this.report(data, schema, 'pattern', { pattern: schema.written.pattern })
  }

  private number(data: number, schema: ReadySchema): void {
    const { minimum, maximum, exclusiveMinimum } = schema.written
    if (minimum !== undefined && data < minimum) this.report(data, schema, 'minimum', { limit: minimum })
    if (maximum !== undefined && data > maximum) this.report(data, schema, 'maximum', { limit: maximum })
    if (exclusiveMinimum !== undefined && data <= exclusiveMinimum)
      this.report(data, schema, 'exclusiveMinimum', { limit: exclusiveMinimum })
  }

  private list(data: readonly unknown[], schema: ReadySchema): void {
    const { items, isUnique } = schema
    const { minItems: least, maxItems: limit } = schema.written
    if (least !== undefined && data.length < least) this.report(data, schema, 'minItems', { limit: least })
    if (limit !== undefined && data.length > limit) this.report(data, schema, 'maxItems', { limit })
    if (items !== undefined) {
      for (let index = 0; index < data.length && this.errors.length < this.most; index++)
        this.child(index, data[index], items)
    }
    const twins = isUnique ? firstTwins(data) : undefined
    if (twins !== undefined) this.report(data, schema, 'uniqueItems', twins)
  }

  private object(data: Readonly<Record<string, unknown>>, schema: ReadySchema): void {
    const { required, properties, patterns, others, maxProperties: limit } = schema
    const keys = Object.keys(data)
    if (limit !== undefined && keys.length > limit) this.report(data, schema, 'maxProperties', { limit })
    if (required !== undefined)
      for (const missingProperty of required)
        if (!Object.hasOwn(data, missingProperty)) this.report(data, schema, 'required', { missingProperty })
    if (properties === undefined && others === true) return
    for (const key of keys) {
      if (this.errors.length >= this.most) return
      const known = properties?.get(key)
      if (known === true) continue
      if (known !== undefined) this.child(key, own(data, key), known)
      else if (others === true || patterns?.some(pattern => pattern.test(key))) continue
      else if (others !== false) this.child(key, own(data, key), others)
      else this.report(data, schema, 'additionalProperties', { additionalProperty: key })
    }
  }

  private child(step: string | number, data: unknown, schema: ReadySchema): void {
    this.path.push(step)
    this.check(data, schema)
    this.path.pop()
  }

  private report(data: unknown, schema: ReadySchema, keyword: string, params: RawError['params']): void {
    if (this.errors.length >= this.most) return
    const instancePath = this.path.map(step => `/${escaped(String(step))}`).join('')
    this.errors.push({ instancePath, keyword, params, parentSchema: schema.written, data })
  }
}

function isFit(data: unknown, kind: number, schema: ReadySchema): boolean {
  if (schema.isTypeAlone) return schema.kinds === undefined || (schema.kinds & kind) !== 0
  const judge = new Judge(1)
  judge.check(data, schema)
  return judge.errors.length === 0
}

/** Two indexes with the same text. */
function firstTwins(data: readonly unknown[]): { readonly i: number; readonly j: number } | undefined {
  if (data.length < 2) return undefined
  const places = new Map<unknown, number>()
  for (const [i, item] of data.entries()) {
    const j = places.get(item)
    if (j !== undefined) return { i, j }
    if (typeof item === 'string') places.set(item, i)
  }
  return undefined
}

/** A step as a JSON pointer writes it. */
function escaped(step: string): string {
  return step.replaceAll('~', '~0').replaceAll('/', '~1')
}
