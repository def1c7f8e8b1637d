// Finds the members of an object's schema that are one level too high or too low: arguments beside `properties`, and keywords inside it.
// Validators pass over an unknown member without a word, so such an argument is never described to a model and never checked.

import type { Pointer } from '../../model/document.ts'
import { isTable, own } from '../../model/own.ts'
import { findRefs, fragmentTokens } from '../../schema/reference.ts'
import type { Subschema } from '../../schema/walk.ts'
import { isSchemaLike, isType } from './schema-like.ts'

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
    // A reference that leads to a member, or through it, would lead nowhere once it is moved.
    const isFree = (name: string) => {
      referred ??= referredIn(nodes)
      return !referred.has(JSON.stringify([...pointer, name].map(String)))
    }
    const beside = besideProperties(schema).filter(isFree)
    const inside = beside.includes('properties') ? [] : insideProperties(schema)
    if (beside.length + inside.length > 0) found.push({ pointer, beside, inside })
  }
  return found
}

type Json = Readonly<Record<string, unknown>>

function isObject(schema: Json, isInput: boolean): boolean {
  const type = own(schema, 'type')
  if (type === undefined || isTable(type)) return isInput || isTable(own(schema, 'properties'))
  return [type].flat().includes('object')
}

/** Keywords whose value may be an object, so that a schema there proves nothing. */
const HOLDS_OBJECT: ReadonlySet<string> = new Set(
  '$defs $vocabulary properties patternProperties additionalProperties unevaluatedProperties propertyNames dependentSchemas dependentRequired dependencies definitions items additionalItems unevaluatedItems contains contentSchema not if then else const default example discriminator xml externalDocs errorMessage components'.split(
    ' ',
  ),
)
/** Of an object these say nothing: beside a certain argument they are arguments too. */
const IDLE = ['items', 'contains', 'example', 'default']

function besideProperties(schema: Json): string[] {
  const sure: string[] = []
  for (const key of Object.keys(schema)) {
    if (HOLDS_OBJECT.has(key) || key.startsWith('x-') || key.startsWith('$')) continue
    if (isSchemaLike(own(schema, key)) && !isProperty(schema, key)) sure.push(key)
  }
  const properties = own(schema, 'properties')
  if (isArgument(properties)) sure.push('properties')
  if (sure.length === 0 || (properties !== undefined && !sure.includes('properties'))) return sure
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

function insideProperties(schema: Json): string[] {
  const properties = own(schema, 'properties')
  if (!isTable(properties)) return []
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
