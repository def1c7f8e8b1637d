// Validates a value by one of our own schemas, and reports errors as ajv would. It knows only the keywords of these schemas, and stops after a number of
// errors, which code from ajv cannot: a hostile document can hold two million mistakes.
import { jsonPointer } from '../json/pointer.ts'
import { usesFirstParts } from '../model/first-parts.ts'
import { isTable, own } from '../model/own.ts'
import { isLonger } from '../text/words.ts'
import { kindOf, kindsOf } from './type.ts'
import { hasTwins, twinsIn } from './unique-items.ts'

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
  const checks = checksOf(schema, root)
  if (usesFirstParts() && fits(value, checks)) return []
  const judge = new Judge(most)
  judge.check(value, checks)
  return judge.errors
}

/** Whether a value is as one of our schemas says: the same as no errors, and nothing is made to find out. */
export function fitsOwn(value: unknown, schema: OwnSchema, root: OwnSchema): boolean {
  return fits(value, checksOf(schema, root))
}

/** One keyword of a schema. Both say the same of a value. */
interface Check {
  fits(data: unknown): boolean
  explain(data: unknown, judge: Judge): void
}

type Checks = readonly Check[]

function fits(data: unknown, checks: Checks): boolean {
  for (let index = 0; index < checks.length; index++) if (checks[index]?.fits(data) === false) return false
  return true
}

class Judge {
  readonly errors: RawError[] = []
  private readonly most: number
  /** The path to the current value. */
  private readonly path: (string | number)[] = []

  constructor(most: number) {
    this.most = most
  }

  check(data: unknown, checks: Checks): void {
    for (const check of checks) if (this.errors.length < this.most) check.explain(data, this)
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
  return MADE.get(schema) ?? madeChecks(schema, root)
}

function madeChecks(schema: OwnSchema, root: OwnSchema): Checks {
  const checks: Check[] = []
  // Before its parts are made: some of them refer to it.
  MADE.set(schema, checks)
  const of = (part: OwnSchema) => checksOf(part, root)
  const also = (part: OwnSchema) => {
    const further = of(part)
    checks.push({ fits: data => fits(data, further), explain: (data, judge) => judge.check(data, further) })
  }
  const refuse = (keyword: string, params: RawError['params'], isWrong: (data: unknown) => boolean) =>
    void checks.push({
      fits: data => !isWrong(data),
      explain: (data, judge) => {
        if (isWrong(data)) judge.report(data, schema, keyword, params)
      },
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
  if (items !== undefined && items !== true) checks.push(itemsCheck(of(items)))
  if (schema.uniqueItems === true)
    checks.push({
      fits: data => !Array.isArray(data) || !hasTwins(data),
      explain: (data, judge) => {
        const twins = Array.isArray(data) ? twinsIn(data) : undefined
        if (twins !== undefined) judge.report(data, schema, 'uniqueItems', { ...twins })
      },
    })
  for (const missingProperty of required ?? [])
    refuse('required', { missingProperty }, data => isTable(data) && !Object.hasOwn(data, missingProperty))
  checks.push(...memberChecks(schema, of))
  if (allowedValues !== undefined) refuse('enum', { allowedValues }, data => !allowedValues.includes(data))
  if (allowedValue !== undefined) refuse('const', { allowedValue }, data => data !== allowedValue)
  for (const part of schema.allOf ?? []) also(part)
  if (schema.if !== undefined) {
    const [asked, then, other] = [of(schema.if), of(schema.then ?? {}), of(schema.else ?? {})]
    const branch = (data: unknown) => (fits(data, asked) ? then : other)
    checks.push({
      fits: data => fits(data, branch(data)),
      explain: (data, judge) => judge.check(data, branch(data)),
    })
  }
  return checks
}

function itemsCheck(each: Checks): Check {
  return {
    fits(data) {
      if (!Array.isArray(data)) return true
      for (let index = 0; index < data.length; index++) if (!fits(data[index], each)) return false
      return true
    },
    explain(data, judge) {
      if (Array.isArray(data)) for (const [index, item] of data.entries()) judge.child(index, item, each)
    },
  }
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
    Object.entries(properties ?? {}).map(([name, part]) => [name, part === true ? NONE : of(part)] as const),
  )
  const patterns = Object.keys(patternProperties ?? {}).map(text => new RegExp(text, 'u'))
  const rest = typeof others === 'object' ? of(others) : NONE
  /** The checks of a member's value; undefined if no member may have the name. */
  const checksFor = (key: string) => {
    const checks = known.get(key)
    if (checks !== undefined) return checks
    for (const pattern of patterns) if (pattern.test(key)) return NONE
    return others === false ? undefined : rest
  }
  return [
    {
      fits(data) {
        if (!isTable(data)) return true
        for (const key in data) {
          if (!Object.hasOwn(data, key)) continue
          const checks = checksFor(key)
          if (checks === undefined || !fits(own(data, key), checks)) return false
        }
        return true
      },
      explain(data, judge) {
        if (!isTable(data)) return
        for (const key of Object.keys(data)) {
          const checks = checksFor(key)
          if (checks === undefined)
            judge.report(data, schema, 'additionalProperties', { additionalProperty: key })
          else judge.child(key, own(data, key), checks)
        }
      },
    },
  ]
}

const NONE: Checks = []

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
