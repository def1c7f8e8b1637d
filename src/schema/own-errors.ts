// Validates a value by one of our own schemas, and reports errors as ajv would. It knows only the keywords of these schemas, and stops after a number of
// errors, which code from ajv cannot: a hostile document can hold two million mistakes.
import { jsonPointer } from '../json/pointer.ts'
import { isTable, own } from '../model/own.ts'
import { isLonger } from '../text/words.ts'
import { kindOf, kindsOf } from './type.ts'
import { twinsIn } from './unique-items.ts'

/** One error in ajv's form, so that sentences about both kinds of error are made in one place. */
export interface RawError {
  /** A JSON pointer. */
  readonly instancePath: string
  readonly keyword: string
  readonly params: Readonly<Record<string, unknown>>
  readonly parentSchema: Readonly<Record<string, unknown>>
  readonly data: unknown
}

/**
 * The first errors of a value, in its own order; none if it fits. Stops after `most`.
 * @param value at most as deep as the strict parsers allow, which bounds the recursion
 * @param root the document that holds the targets of the schema's references
 */
export function ownErrors(value: unknown, schema: OwnSchema, root: OwnSchema, most: number): RawError[] {
  const judge = new Judge(most)
  judge.check(value, checksOf(schema, root))
  return judge.errors
}

type Check = (data: unknown, judge: Judge) => void
type Checks = readonly Check[]

class Judge {
  readonly errors: RawError[] = []
  private readonly most: number
  /** The path to the current value. */
  private readonly path: (string | number)[] = []

  constructor(most: number) {
    this.most = most
  }

  check(data: unknown, checks: Checks): void {
    for (const check of checks) if (this.errors.length < this.most) check(data, this)
  }

  child(step: string | number, data: unknown, checks: Checks): void {
    if (this.errors.length >= this.most) return
    this.path.push(step)
    this.check(data, checks)
    this.path.pop()
  }

  report(data: unknown, parentSchema: OwnSchema, keyword: string, params: RawError['params']): void {
    if (this.errors.length >= this.most) return
    this.errors.push({ instancePath: jsonPointer(this.path), keyword, params, parentSchema, data })
  }
}

/** The checks of each schema are made once: a bundle of 200 tools asks for a hundred thousand. A schema is part of one document. */
const MADE = new WeakMap<OwnSchema, Checks>()

function checksOf(schema: OwnSchema, root: OwnSchema): Checks {
  const made = MADE.get(schema)
  if (made !== undefined) return made
  const checks: Check[] = []
  // Before its parts are made: some of them refer to it.
  MADE.set(schema, checks)
  const of = (part: OwnSchema) => checksOf(part, root)
  const also = (part: OwnSchema) => {
    const further = of(part)
    checks.push((data, judge) => judge.check(data, further))
  }
  const refuse = (keyword: string, params: RawError['params'], isWrong: (data: unknown) => boolean) =>
    void checks.push((data, judge) => {
      if (isWrong(data)) judge.report(data, schema, keyword, params)
    })
  const { $ref, type, pattern, items, required, enum: allowedValues, const: allowedValue } = schema
  if ($ref !== undefined) also(targetOf($ref, root))
  if (type !== undefined) {
    const kinds = kindsOf(type)
    refuse('type', { type }, data => (kinds & kindOf(data)) === 0)
  }
  for (const [keyword, isBeyond] of LIMITS) {
    const limit = schema[keyword]
    if (limit !== undefined) refuse(keyword, { limit }, data => isBeyond(data, limit))
  }
  if (pattern !== undefined) {
    const expression = new RegExp(pattern, 'u')
    refuse('pattern', { pattern }, data => typeof data === 'string' && !expression.test(data))
  }
  if (items !== undefined && items !== true) {
    const each = of(items)
    checks.push((data, judge) => {
      if (Array.isArray(data)) for (const [index, item] of data.entries()) judge.child(index, item, each)
    })
  }
  if (schema.uniqueItems === true)
    checks.push((data, judge) => {
      const twins = Array.isArray(data) ? twinsIn(data) : undefined
      if (twins !== undefined) judge.report(data, schema, 'uniqueItems', { ...twins })
    })
  for (const missingProperty of required ?? [])
    refuse('required', { missingProperty }, data => isTable(data) && !Object.hasOwn(data, missingProperty))
  checks.push(...memberChecks(schema, of))
  if (allowedValues !== undefined) refuse('enum', { allowedValues }, data => !allowedValues.includes(data))
  if (allowedValue !== undefined) refuse('const', { allowedValue }, data => data !== allowedValue)
  for (const part of schema.allOf ?? []) also(part)
  if (schema.if !== undefined) {
    const [asked, then, other] = [schema.if, schema.then ?? {}, schema.else ?? {}].map(of) as [
      Checks,
      Checks,
      Checks,
    ]
    checks.push((data, judge) => {
      const inner = new Judge(1)
      inner.check(data, asked)
      judge.check(data, inner.errors.length === 0 ? then : other)
    })
  }
  return checks
}

/** Whether a value is beyond the limit that a keyword sets. It is not if the keyword is about other types. */
const LIMITS: readonly [
  keyword:
    | 'maxLength'
    | 'minimum'
    | 'maximum'
    | 'exclusiveMinimum'
    | 'minItems'
    | 'maxItems'
    | 'maxProperties',
  isBeyond: (data: unknown, limit: number) => boolean,
][] = [
  ['maxLength', (data, limit) => typeof data === 'string' && isLonger(data, limit)],
  ['minimum', (data, limit) => typeof data === 'number' && data < limit],
  ['maximum', (data, limit) => typeof data === 'number' && data > limit],
  ['exclusiveMinimum', (data, limit) => typeof data === 'number' && data <= limit],
  ['minItems', (data, limit) => Array.isArray(data) && data.length < limit],
  ['maxItems', (data, limit) => Array.isArray(data) && data.length > limit],
  ['maxProperties', (data, limit) => isTable(data) && Object.keys(data).length > limit],
]

function memberChecks(schema: OwnSchema, of: (part: OwnSchema) => Checks): Check[] {
  const { properties, patternProperties, additionalProperties: others = true } = schema
  if (properties === undefined && others === true) return []
  const known = new Map(
    Object.entries(properties ?? {}).map(([name, part]) => [name, part === true ? [] : of(part)] as const),
  )
  const patterns = Object.keys(patternProperties ?? {}).map(text => new RegExp(text, 'u'))
  const rest = typeof others === 'object' ? of(others) : []
  const checkMember = (key: string, data: Readonly<Record<string, unknown>>, judge: Judge) => {
    const checks = known.get(key) ?? (patterns.some(pattern => pattern.test(key)) ? [] : undefined)
    if (checks === undefined && others === false)
      judge.report(data, schema, 'additionalProperties', { additionalProperty: key })
    else judge.child(key, own(data, key), checks ?? rest)
  }
  return [
    (data, judge) => {
      if (isTable(data)) for (const key of Object.keys(data)) checkMember(key, data, judge)
    },
  ]
}

function targetOf(ref: string, root: OwnSchema): OwnSchema {
  const found = ref === '#' ? root : own(root.$defs, ref.slice('#/$defs/'.length))
  if (found === undefined) throw new TypeError(`${ref} leads nowhere`)
  return found
}

/**
 * A schema of ours; a test checks that `schemas/` and the flattened meta-schema use only these keywords. `$ref` leads to `#` or
 * `#/$defs/<name>`.
 */
export type OwnSchema = {
  readonly $ref?: string
  readonly $defs?: Readonly<Record<string, OwnSchema>>
  readonly type?: string | readonly string[]
  readonly enum?: readonly unknown[]
  readonly const?: unknown
  readonly pattern?: string
  readonly maxLength?: number
  readonly minimum?: number
  readonly maximum?: number
  readonly exclusiveMinimum?: number
  readonly minItems?: number
  readonly maxItems?: number
  readonly maxProperties?: number
  /** Of arrays of strings. */
  readonly uniqueItems?: boolean
  readonly items?: OwnSchema | true
  readonly required?: readonly string[]
  readonly properties?: Readonly<Record<string, OwnSchema | true>>
  readonly patternProperties?: Readonly<Record<string, true>>
  readonly additionalProperties?: OwnSchema | boolean
  readonly allOf?: readonly OwnSchema[]
  readonly if?: OwnSchema
  readonly then?: OwnSchema
  readonly else?: OwnSchema
}
