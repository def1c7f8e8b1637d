// Brings the arguments of a model into the forms that the tool's schema declares, or ends in the failure that tells the model what to change
// (docs/contract.md, "Arguments").
import type { TextProblem } from '../model/document.ts'
import type { JsonSchema } from '../model/tools.ts'
import { type Failure, failure } from './envelope.ts'
import { arrayIn, type Fields, isFields, member, objectIn, readJson } from './json-text.ts'
import { admitsNull, type Keywords, keywordsOf, MAX_DEPTH } from './keywords.ts'
import { booleanIn, integerIn, numberIn } from './scalar.ts'
import { serialize } from './serialize.ts'
import { type Invalid, validate } from './validate.ts'

/** What {@link preflight} does beyond the seed profile. */
export interface PreflightOptions extends CoerceOptions {
  /**
   * Refuse everything but a JSON object. Without it such text passes, and the tool's
   * `requireArgumentsDictionary` answers it.
   */
  readonly objectOnly?: boolean
}

/** Arguments that may be passed on, or the envelope of the refusal. */
export type Preflight =
  | {
      readonly ok: true
      /** The text that came in, unchanged, if nothing had to change; else compact JSON with sorted keys. */
      readonly text: string
      /** The value of `text`; undefined if it is not JSON. */
      readonly value: unknown
      readonly changed: boolean
    }
  | { readonly ok: false; readonly failure: Failure }

/** The message for everything but a JSON object. */
const NOT_AN_OBJECT =
  'Arguments could not be parsed as JSON. Pass an object literal, e.g. `{"path": "foo.txt"}`.'

/**
 * Coerces, then validates. Arguments that fit keep their bytes unless something had to change.
 *
 * Text that is no JSON, and JSON that is neither object nor array, passes unchanged unless `objectOnly` is set. JSON that two readers
 * could understand differently (duplicate keys, `__proto__`, lone surrogates, integers beyond 2^53, more than 64 levels) is refused, with
 * or without a schema: the tool would not see what was checked. `$ref` is not followed, see {@link validate}. Never throws.
 *
 * @param schema undefined where the tool has none: then nothing is coerced or validated
 *
 * @example
 * const schema = { type: 'object', properties: { count: { type: 'integer' } }, required: ['count'] } satisfies JsonSchema
 * const ready = preflight('dice_roll', '{"count": "2"}', schema)
 * if (ready.ok) console.log(ready.text) // {"count":2}
 * else console.log(serialize(ready.failure))
 */
export function preflight(
  tool: string,
  text: string,
  schema: JsonSchema | undefined,
  options: PreflightOptions = {},
): Preflight {
  const read = readJson(text)
  if (!read.ok && read.problem.code !== 'syntax') return refuse(unreadable(tool, read.problem))
  const value = read.ok ? read.value : undefined
  const reported = sentinel(tool, value)
  if (reported !== undefined) return refuse(reported)
  const isObject = isFields(value)
  if (options.objectOnly && !isObject) return refuse(notAnObject(tool))
  if (schema === undefined || !(isObject || Array.isArray(value)))
    return { ok: true, text, value, changed: false }
  const coerced = coerce(value, schema, options)
  const checked = validate(coerced, schema)
  if (!checked.valid) return refuse(mismatch(tool, checked))
  const changed = coerced !== value
  return { ok: true, text: changed ? serialize(coerced) : text, value: coerced, changed }
}

function refuse(failure: Failure): Preflight {
  return { ok: false, failure }
}

/** Arguments that are not a JSON object. */
export function notAnObject(tool: string | undefined): Failure {
  return failure({ kind: 'invalid_args', message: NOT_AN_OBJECT, tool })
}

/** JSON that strict reading refuses. */
export function unreadable(tool: string | undefined, { message, offset }: TextProblem): Failure {
  const place = offset === undefined ? '' : ` (at character ${offset + 1})`
  return failure({
    kind: 'invalid_args',
    message: `Arguments could not be read: ${message}${place}`,
    expected: 'JSON that every reader understands alike',
    tool,
  })
}

function mismatch(tool: string, { message, field, expected, reason }: Invalid): Failure {
  // A schema that cannot be checked is not the caller's fault: no other argument would help.
  if (reason === 'schema') return failure({ kind: 'unavailable', retryable: false, message, field, tool })
  return failure({ kind: 'invalid_args', message, field, expected, tool })
}

/** What a caller sends in place of arguments that it could not parse. */
function sentinel(tool: string, value: unknown): Failure | undefined {
  if (!isFields(value) || member(value, '_error') !== 'invalid_tool_arguments') return undefined
  const text = (name: string): string | undefined => {
    const found = member(value, name)
    return typeof found === 'string' ? found : undefined
  }
  return failure({
    kind: 'invalid_args',
    message: text('_message') ?? NOT_AN_OBJECT,
    field: text('_field'),
    expected: text('_expected'),
    tool,
  })
}

export interface CoerceOptions {
  /**
   * Also repair what only a later revision of the contract repairs: arguments wrapped in `arguments`,
   * wrappers written as JSON text, keys that differ from a declared one only in case, `_` and `-`, and
   * `filename` and similar if `path` is declared.
   */
  readonly rescueKeys?: boolean
}

/**
 * The same value, by identity, if nothing had to change; else a new one. Texts that spell a declared number,
 * truth value, array or object become that; a member of an enum gets its declared spelling; blank texts of
 * optional fields are left out; arguments wrapped in `properties` move up. Integers that JavaScript cannot
 * hold exactly stay text, and so does JSON that strict reading refuses.
 *
 * Never throws, whatever the value. Only `type`, `enum`, `properties`, `required`, `items` and `nullable`
 * have an effect: `$ref` is not followed.
 */
export function coerce(value: unknown, schema: JsonSchema, options: CoerceOptions = {}): unknown {
  return coerceAt(value, schema, options, 0)
}

function coerceAt(value: unknown, schema: JsonSchema, options: CoerceOptions, depth: number): unknown {
  const keywords = keywordsOf(schema)
  if (value === 'null' && readsAsNull(keywords)) return null
  // Only a recursive schema leads this deep; `validate` refuses there.
  if (depth > MAX_DEPTH) return value
  switch (keywords.type) {
    case 'object':
      return coerceObject(value, keywords, options, depth)
    case 'array':
      return coerceArray(value, keywords, options, depth)
    case 'integer':
      return fromText(value, integerIn)
    case 'number':
      return fromText(value, numberIn)
    case 'boolean':
      return fromText(value, text => booleanIn(text.trim()))
    case 'string':
      return typeof value === 'string' ? (keywords.enum?.spell(value) ?? value) : value
    default:
      return value
  }
}

function fromText<T>(value: unknown, read: (text: string) => T | undefined): unknown {
  return typeof value === 'string' ? (read(value) ?? value) : value
}

/** Whether the text `null` can mean nothing but null: the schema admits null, and not this text. */
function readsAsNull(keywords: Keywords): boolean {
  if (!admitsNull(keywords)) return false
  const texts = keywords.types ?? (keywords.type === undefined ? undefined : [keywords.type])
  return keywords.enum !== undefined
    ? !keywords.enum.has('null')
    : texts !== undefined && !texts.includes('string')
}

function coerceArray(value: unknown, keywords: Keywords, options: CoerceOptions, depth: number): unknown {
  const array: unknown = typeof value === 'string' ? (arrayIn(value) ?? value) : value
  const { items } = keywords
  if (!Array.isArray(array) || items === undefined) return array
  const made = array.map(item => coerceAt(item, items, options, depth + 1))
  return made.every((item, index) => item === array[index]) ? array : made
}

function coerceObject(value: unknown, keywords: Keywords, options: CoerceOptions, depth: number): unknown {
  const given = typeof value === 'string' ? (objectIn(value) ?? value) : value
  if (!isFields(given)) return given
  const { properties, required } = keywords
  const fields = options.rescueKeys
    ? rescued(given, properties)
    : unwrapped(given, ['properties'], properties)
  let isChanged = false
  const made: (readonly [name: string, value: unknown])[] = []
  for (const [name, old] of Object.entries(fields)) {
    const schema = member(properties, name) as JsonSchema | undefined
    if (schema === undefined) {
      made.push([name, old])
      continue
    }
    const isFiller = typeof old === 'string' && old.trim() === '' && keywordsOf(schema).type === 'string'
    const item = isFiller && !required.has(name) ? undefined : coerceAt(old, schema, options, depth + 1)
    if (item !== old) isChanged = true
    if (item !== undefined) made.push([name, item])
  }
  // `fromEntries` creates members; assigning would follow `__proto__`.
  return isChanged ? (Object.fromEntries(made) as Fields) : fields
}

/**
 * Misspelt keys → declared keys, if only one can be meant. Belongs to a later revision of the contract, so
 * callers have to ask for it.
 */
const WRAPPERS = ['properties', 'arguments']
const PATH_KEYS = ['filename', 'file_name', 'filepath', 'file_path', 'file']

/** The object with both wrappers opened and its keys corrected; the same object if nothing was wrong. */
function rescued(given: Fields, declared: Fields): Fields {
  const fields = unwrapped(given, WRAPPERS, declared, true)
  const names = renames(fields, declared)
  if (names.size === 0) return fields
  return Object.fromEntries(Object.entries(fields).map(([name, value]) => [names.get(name) ?? name, value]))
}

/** Sent key → declared key. */
function renames(fields: Fields, declared: Fields): Map<string, string> {
  const open = Object.keys(declared).filter(name => !Object.hasOwn(fields, name))
  const strange = Object.keys(fields).filter(name => !Object.hasOwn(declared, name))
  const found = new Map<string, string>()
  if (open.length === 0 || strange.length === 0) return found
  const wanted = byLooseName(open)
  const sent = byLooseName(strange)
  for (const [loose, names] of sent) {
    const [name, another] = names
    const [target, rival] = wanted.get(loose) ?? []
    if (name !== undefined && target !== undefined && another === undefined && rival === undefined)
      found.set(name, target)
  }
  const paths = strange.filter(name => PATH_KEYS.includes(name) && !found.has(name))
  const [path] = paths
  if (
    path !== undefined &&
    paths.length === 1 &&
    open.includes('path') &&
    ![...found.values()].includes('path')
  )
    found.set(path, 'path')
  return found
}

function byLooseName(names: readonly string[]): Map<string, string[]> {
  const groups = new Map<string, string[]>()
  for (const name of names) {
    const loose = name.toLowerCase().replaceAll(/[_-]/g, '')
    const group = groups.get(loose)
    if (group === undefined) groups.set(loose, [name])
    else group.push(name)
  }
  return groups
}

/** The depth to which schema and value are followed. */
const MOST_WRAPPERS = MAX_DEPTH

/**
 * Moves the members of a wrapper one level up, if the wrapper is not a declared field, holds an object, and
 * shares a key with the declared fields. Outer members win over inner ones. Otherwise the same object.
 * @param wrappers names of keys that may be wrappers
 * @param readText also accept the object as JSON text
 */
function unwrapped(fields: Fields, wrappers: readonly string[], declared: Fields, readText = false): Fields {
  let opened = fields
  for (let count = 0; count < MOST_WRAPPERS; count++) {
    const next = wrappers.reduce((outer, wrapper) => unwrapOne(outer, wrapper, declared, readText), opened)
    // Until no wrapper is left: coercing twice must change no more than coercing once.
    if (next === opened) return opened
    opened = next
  }
  return opened
}

function unwrapOne(fields: Fields, wrapper: string, declared: Fields, readText: boolean): Fields {
  if (Object.hasOwn(declared, wrapper)) return fields
  const held = member(fields, wrapper)
  const inner = readText && typeof held === 'string' ? objectIn(held) : held
  if (!isFields(inner) || !Object.keys(inner).some(name => Object.hasOwn(declared, name))) return fields
  return Object.fromEntries([
    ...Object.entries(inner),
    ...Object.entries(fields).filter(([name]) => name !== wrapper),
  ])
}
