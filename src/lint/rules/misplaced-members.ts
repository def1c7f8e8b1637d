// Finds the members of an object's schema that are one level too high or too low, and moves them to where they belong: arguments beside
// `properties`, and keywords inside it. Validators ignore an unknown member, so such an argument is never described to a model and never
// checked.

import { valueAt } from '../../json/pointer.ts'
import type { Pointer } from '../../model/document.ts'
import { isTable, own } from '../../model/own.ts'
import type { JsonSchema } from '../../model/tools.ts'
import { isAnnotation } from '../../schema/keywords.ts'
import { findRefs, fragmentTokens } from '../../schema/reference.ts'
import { type Subschema, subschemasOf } from '../../schema/walk.ts'
import { quoteText } from '../../text/quote.ts'
import { listText } from '../message-words.ts'
import type { AgentSchema } from './schemas.ts'

export interface MisplacedMembers {
  /** By the object that has them, as JSON of its pointer. */
  readonly byObject: ReadonlyMap<string, Misplaced>
  /** By the member itself. */
  readonly byMember: ReadonlyMap<string, Misplaced>
}

const FEW_VALUES = 30

const KNOWN = new WeakMap<AgentSchema, MisplacedMembers | 'none'>()

/** Undefined if the schema has none. */
export function misplacedOf(schema: AgentSchema): MisplacedMembers | undefined {
  const known = KNOWN.get(schema) ?? findMisplaced(schema)
  // A small schema without any is looked through again: that costs less than to remember it.
  if (known === 'none' && schema.values <= FEW_VALUES) return undefined
  KNOWN.set(schema, known)
  return known === 'none' ? undefined : known
}

function findMisplaced(schema: AgentSchema): MisplacedMembers | 'none' {
  const all = misplacedIn(schema.nodes, isRoot(schema))
  if (all.length === 0) return 'none'
  const byObject = new Map(all.map(one => [JSON.stringify(one.pointer), one]))
  const byMember = new Map(
    all.flatMap(one => memberPlaces(one).map(at => [JSON.stringify(at), one] as const)),
  )
  return { byObject, byMember }
}

/** Whether a schema is the whole input or result of a tool, which is an object. */
export function isRoot({ role }: AgentSchema): boolean {
  return role === 'input' || role === 'result'
}

/** From the root of the schema. */
export function memberPlaces({ pointer, beside, inside }: Misplaced): Pointer[] {
  return [...beside.map(name => [...pointer, name]), ...inside.map(name => [...pointer, 'properties', name])]
}

/** What is wrong, and what to do. */
export function misplacedWords({ beside, inside }: Misplaced): { message: string; fix: string } {
  const [arguments_, keywords] = [beside, inside].map(names => ({
    names: listText(names.map(name => quoteText(name, 40))),
    isOne: names.length === 1,
    count: names.length,
  })) as [Named, Named]
  const messages: string[] = []
  const fixes: string[] = []
  if (arguments_.count > 0) {
    const looks = arguments_.isOne ? 'looks like an argument, but is' : 'look like arguments, but are'
    messages.push(`${arguments_.names} ${looks} not in properties`)
    fixes.push(`Put ${arguments_.isOne ? 'it' : 'them'} into properties`)
  }
  if (keywords.count > 0) {
    const read = keywords.isOne
      ? 'is in properties, where it is read as an argument'
      : 'are in properties, where they are read as arguments'
    messages.push(`${keywords.names} ${read}`)
    fixes.push(`Move ${keywords.isOne ? 'it' : 'them'} one level up, beside properties`)
  }
  return { message: messages.join('; '), fix: fixes.join('; ') }
}

interface Named {
  readonly names: string
  readonly isOne: boolean
  readonly count: number
}

/** An object's schema with members in the wrong place; at least one of the two lists has a name. */
export interface Misplaced {
  /** From the root of the schema. */
  readonly pointer: Pointer
  /** Arguments beside `properties`. */
  readonly beside: readonly string[]
  /** Keywords inside `properties`, which belong one level up. */
  readonly inside: readonly string[]
}

/**
 * Every object whose members are misplaced, in the order of the nodes.
 * @param nodes from `subschemasOf`, the root first
 * @param isInput whether the root is a tool's input or result, which is an object also where it does not say so
 */
export function misplacedIn(nodes: readonly Subschema[], isInput: boolean): Misplaced[] {
  const found: Misplaced[] = []
  let referred: ReadonlySet<string> | undefined
  for (const { pointer, schema } of nodes) {
    if (typeof schema === 'boolean' || !isObject(schema, isInput && pointer.length === 0)) continue
    let beside = besideProperties(schema)
    if (beside.length > 0) {
      // A reference that leads to a member, or through it, would lead nowhere once it is moved.
      const places = referred ?? referredIn(nodes)
      referred = places
      beside = beside.filter(name => !places.has(JSON.stringify([...pointer, name].map(String))))
    }
    const inside = beside.includes('properties') ? [] : insideProperties(schema)
    if (beside.length + inside.length > 0) found.push({ pointer, beside, inside })
  }
  return found
}

type Json = Readonly<Record<string, unknown>>

function isObject(schema: Json, isInput: boolean): boolean {
  const type = own(schema, 'type')
  if (type === undefined || isTable(type)) return isInput || isTable(own(schema, 'properties'))
  return type === 'object' || (Array.isArray(type) && type.includes('object'))
}

/** Keywords whose value may be an object, so that a schema there proves nothing. */
const HOLDS_OBJECT: ReadonlySet<string> = new Set(
  '$defs $vocabulary properties patternProperties additionalProperties unevaluatedProperties propertyNames dependentSchemas dependentRequired dependencies definitions items additionalItems unevaluatedItems contains contentSchema not if then else const default example discriminator xml externalDocs errorMessage components'.split(
    ' ',
  ),
)
/** Of an object these say nothing: beside a certain argument they are arguments too. */
const IDLE = ['items', 'contains', 'example', 'default']

const NONE: readonly string[] = []

function besideProperties(schema: Json): readonly string[] {
  let sure: string[] | undefined
  for (const key in schema) {
    const value = own(schema, key)
    if (typeof value !== 'object' || value === null) continue
    if (HOLDS_OBJECT.has(key) || key.startsWith('x-') || key.startsWith('$')) continue
    if (!isSchemaLike(value) || isProperty(schema, key)) continue
    sure ??= []
    sure.push(key)
  }
  const properties = own(schema, 'properties')
  if (isArgument(properties)) {
    sure ??= []
    sure.push('properties')
  }
  if (sure === undefined) return NONE
  if (properties !== undefined && !sure.includes('properties')) return sure
  return [...sure, ...IDLE.filter(key => isSchemaLike(own(schema, key)))]
}

function isProperty(schema: Json, name: string): boolean {
  const properties = own(schema, 'properties')
  return isTable(properties) && Object.hasOwn(properties, name)
}

/** Whether `properties` is the name of an argument: its value is a schema itself, and no table of them. */
function isArgument(properties: unknown): boolean {
  if (!isTable(properties) || !isType(own(properties, 'type'))) return false
  return Object.keys(properties).every(key => key !== 'properties' && WORDS.has(key))
}

/** Keywords that are inside a schema of one value. */
const WORDS: ReadonlySet<string> = new Set(
  'type title description default example examples enum const format pattern minimum maximum exclusiveMinimum exclusiveMaximum multipleOf minLength maxLength items minItems maxItems uniqueItems additionalProperties optional nullable deprecated'.split(
    ' ',
  ),
)
/** Keywords of an object that people write into `properties`. */
const OF_OBJECTS = ['required', 'type', 'title', 'description', '$schema', 'additionalProperties']

function insideProperties(schema: Json): readonly string[] {
  const properties = own(schema, 'properties')
  if (!isTable(properties) || !OF_OBJECTS.some(name => Object.hasOwn(properties, name))) return NONE
  const names = Object.keys(properties).filter(name => isOfObject(name, own(properties, name)))
  if (names.length === 0) return []
  // Where other members are no schemas either, as in {"title": "string"}, it is a short form of its author’s.
  const others = Object.keys(properties).filter(name => !names.includes(name))
  if (!others.every(name => isTable(own(properties, name)))) return []
  // A whole schema where the table of properties should be: no reader knows which level was meant.
  if (names.includes('type') && others.includes('properties')) return []
  return names.every(name => mayMove(schema, name, own(properties, name))) ? names : []
}

function isOfObject(name: string, value: unknown): boolean {
  if (!OF_OBJECTS.includes(name)) return false
  if (name === 'required') return Array.isArray(value) && value.every(item => typeof item === 'string')
  if (name === 'type') return value === 'object'
  if (name === 'additionalProperties') return typeof value === 'boolean'
  return typeof value === 'string' && !isType(value)
}

/** What is said one level up already must be the same. */
function mayMove(schema: Json, name: string, value: unknown): boolean {
  if (!Object.hasOwn(schema, name)) return true
  const outer = own(schema, name)
  return name === 'required' ? Array.isArray(outer) : outer === value
}

/** The places that local references lead to, with all places on the way. */
function referredIn(nodes: readonly Subschema[]): Set<string> {
  const places = new Set<string>()
  for (const { ref } of findRefs(nodes)) {
    const place = ref.startsWith('#') ? (fragmentTokens(ref) ?? []) : []
    for (const index of place.keys()) places.add(JSON.stringify(place.slice(0, index + 1)))
  }
  return places
}

/** An argument that was moved may be an object with misplaced members itself. No tool nests them deeper. */
const MOST_ROUNDS = 8

/** The schema with every member in its place; itself if there is nothing to move. */
export function putRight(schema: JsonSchema, isInput: boolean): JsonSchema {
  let now = schema
  for (let round = 0; round < MOST_ROUNDS; round++) {
    const found = misplacedIn(subschemasOf(now), isInput)
    if (found.length === 0) break
    now = structuredClone(now)
    // The inner ones first, so that the places of the outer ones stay right.
    for (const one of found.toSorted((a, b) => b.pointer.length - a.pointer.length)) move(now, one)
  }
  return now
}

type Members = Record<string, unknown>

function move(root: JsonSchema, { pointer, beside, inside }: Misplaced): void {
  const holder = valueAt(root, pointer) as Members
  const properties = own(holder, 'properties')
  const table: Members = isTable(properties) && !beside.includes('properties') ? { ...properties } : {}
  for (const name of beside) {
    table[name] = own(holder, name)
    delete holder[name]
  }
  for (const name of inside) {
    const [moved, known] = [own(table, name), own(holder, name)]
    const areLists = Array.isArray(known) && Array.isArray(moved)
    holder[name] = areLists ? [...new Set([...known, ...moved])] : (known ?? moved)
    delete table[name]
  }
  holder['properties'] = table
  if (!Object.hasOwn(holder, 'type')) holder['type'] = 'object'
}

const TYPES: readonly unknown[] = ['string', 'number', 'integer', 'boolean', 'array', 'object', 'null']

/** Whether a value was certainly written as a schema. */
function isSchemaLike(value: unknown): boolean {
  if (!isTable(value)) return false
  if (isType(own(value, 'type')) || typeof own(value, '$ref') === 'string') return true
  if (Array.isArray(own(value, 'enum'))) return true
  const branches = ['anyOf', 'oneOf', 'allOf'].some(key => {
    const list = own(value, key)
    return Array.isArray(list) && list.length > 0 && list.every(isTable)
  })
  if (branches) return true
  const keys = Object.keys(value)
  return (
    typeof own(value, 'description') === 'string' &&
    keys.every(key => isAnnotation(key) || key === 'example' || key === 'optional')
  )
}

/** Whether a value is what `type` may say. */
function isType(type: unknown): boolean {
  return Array.isArray(type)
    ? type.length > 0 && type.every(one => TYPES.includes(one))
    : TYPES.includes(type)
}
