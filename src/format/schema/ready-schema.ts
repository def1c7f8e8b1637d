// One of our own schemas → the same as the judge reads it: references followed, patterns compiled, and every member in every one, so that
// the engine finds a member without a search. A bundle of 200 tools asks for a hundred thousand.
import { own } from '../../model/own.ts'
import type { OwnSchema } from './own-schema.ts'
import { kindsOf } from './type.ts'

export interface ReadySchema {
  readonly written: OwnSchema
  readonly ref: ReadySchema | undefined
  /** The kinds of values that its type allows, as `kindOf` counts them; undefined if it has no type. */
  readonly kinds: number | undefined
  /** Whether nothing else is asked of a value. */
  readonly isTypeAlone: boolean
  readonly allowedValues: readonly unknown[] | undefined
  readonly hasConst: boolean
  readonly pattern: RegExp | undefined
  readonly maxLength: number | undefined
  readonly maxProperties: number | undefined
  readonly items: ReadySchema | undefined
  readonly isUnique: boolean
  readonly required: readonly string[] | undefined
  /** `true` for a member that may be anything. */
  readonly properties: ReadonlyMap<string, ReadySchema | true> | undefined
  readonly patterns: readonly RegExp[] | undefined
  /** What all other members have to fit. */
  readonly others: ReadySchema | boolean
  readonly allOf: readonly ReadySchema[] | undefined
  readonly condition:
    | {
        readonly if: ReadySchema
        readonly then: ReadySchema | undefined
        readonly else: ReadySchema | undefined
      }
    | undefined
}

/** Each is made once. A schema is part of one document. */
const MADE = new WeakMap<OwnSchema, ReadySchema>()

/** @param root the document that holds the targets of the schema's references */
export function readySchema(written: OwnSchema, root: OwnSchema): ReadySchema {
  const made = MADE.get(written)
  if (made !== undefined) return made
  const ready = {} as { -readonly [K in keyof ReadySchema]: ReadySchema[K] }
  // Before its parts are made: some of them refer to it.
  MADE.set(written, ready)
  const of = (schema: OwnSchema) => readySchema(schema, root)
  const { $ref, type, pattern, items, properties, patternProperties, additionalProperties } = written
  ready.written = written
  ready.ref = $ref === undefined ? undefined : of(targetOf($ref, root))
  ready.kinds = type === undefined ? undefined : kindsOf(type)
  ready.isTypeAlone = Object.keys(written).every(keyword => keyword === 'type')
  ready.allowedValues = written.enum
  ready.hasConst = written.const !== undefined
  ready.pattern = pattern === undefined ? undefined : new RegExp(pattern, 'u')
  ready.maxLength = written.maxLength
  ready.maxProperties = written.maxProperties
  ready.items = items === undefined || items === true ? undefined : of(items)
  ready.isUnique = written.uniqueItems === true
  ready.required = written.required
  ready.properties =
    properties && new Map(Object.entries(properties).map(([name, part]) => [name, part === true || of(part)]))
  ready.patterns = patternProperties && Object.keys(patternProperties).map(text => new RegExp(text, 'u'))
  ready.others =
    typeof additionalProperties === 'object' ? of(additionalProperties) : (additionalProperties ?? true)
  ready.allOf = written.allOf?.map(of)
  ready.condition = written.if && {
    if: of(written.if),
    // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
    then: written.then && of(written.then),
    else: written.else && of(written.else),
  }
  return ready
}

function targetOf(ref: string, root: OwnSchema): OwnSchema {
  if (ref === '#') return root
  const found = own(root.$defs, ref.slice('#/$defs/'.length))
  if (found === undefined) throw new TypeError(`${ref} leads nowhere`)
  return found
}
