// A JSON Schema as an author writes it, in one of several forms → the schema.

import { parseJson } from '../../json/parse.ts'
import { own } from '../../model/own.ts'
import { problemIn, type Reading } from '../../model/reading.ts'
import type { JsonSchema } from '../../model/tools.ts'
import type { SchemaSide } from '../../schema/cover.ts'
import { probablyMeant } from '../../text/did-you-mean.ts'
import { pathProblem } from '../../text/path.ts'
import { FIELD_TYPES, SHORT_TYPES } from '../../tools/fields/input-schema.ts'

/** The word for an object without fields. */
const NO_FIELDS = 'none'

/** What a schema is for. The same word means another schema on each side. */

const WORDS: Readonly<Record<SchemaSide, Readonly<Record<string, JsonSchema>>>> = {
  // Arguments have names, so they are an object in any case.
  input: { anything: { type: 'object' }, nothing: closed({}), [NO_FIELDS]: closed({}) },
  result: { anything: {}, nothing: emptyAnswer(), [NO_FIELDS]: emptyAnswer() },
}

/** `{}`, and what a call makes of a program that prints nothing. */
function emptyAnswer(): JsonSchema {
  return closed({ text: { type: 'string', maxLength: 0 } })
}

function closed(properties: Record<string, JsonSchema>): { readonly [keyword: string]: unknown } {
  return { type: 'object', properties, additionalProperties: false }
}

/** A word, fields, `schema:<id>`, a file in `schemas/`, or JSON. */
export function readSchema(text: string, files: readonly string[], side: SchemaSide): Reading<JsonSchema> {
  const meant = own(WORDS[side], text)
  if (meant !== undefined) return { value: meant }
  if (/^(?:[[{"]|(?:true|false|null)$)/.test(text)) return readSchemaJson(text)
  if (text.startsWith('schemas/')) return readSchemaPath(text, files)
  // `schema:string` is a field that is called schema.
  const isField = 'value' in readFields(text)
  return text.startsWith('schema:') && !isField ? readSchemaId(text) : readFields(text)
}

export function schemaProblem(text: string, files: readonly string[], side: SchemaSide): string | undefined {
  return problemIn(readSchema(text, files, side))
}

/** What other languages call the types. */
const OTHER_TYPES: Readonly<Record<string, (typeof SHORT_TYPES)[number]>> = {
  text: 'string',
  str: 'string',
  int: 'integer',
  long: 'integer',
  float: 'number',
  double: 'number',
  bool: 'boolean',
  dict: 'object',
  map: 'object',
  json: 'object',
}

const FIELD = /^([A-Za-z_][A-Za-z0-9_-]*)(\?)? *: *([A-Za-z][A-Za-z0-9]*)(\[\])?(\?)?(?: *\(([^()]*)\))?$/
/** Between fields. A description may have commas. */
const COMMA = /,(?![^()]*\))/

/**
 * `to:string (who gets it), count:integer?, tags:string[]` → a closed object schema; `?` marks an optional field. An object without fields
 * has to be asked for, because it accepts only `{}`.
 */
export function readFields(text: string): Reading<JsonSchema> {
  const properties: Record<string, JsonSchema> = {}
  const required: string[] = []
  if (text.trim() === '')
    return { problem: `name the fields, for example to:string, count:integer?; ${NO_FIELDS} for no field` }
  for (const item of text.split(COMMA).map(item => item.trim())) {
    if (item === '' || text.trim() === NO_FIELDS) continue
    const [, name = '', before, type = '', list, after, about = ''] = FIELD.exec(item) ?? []
    if (name === '')
      return {
        problem: `${JSON.stringify(item.slice(0, 60))} is not name:type; write for example to:string, count:integer? (how many); types are ${FIELD_TYPES}`,
      }
    if (!(SHORT_TYPES as readonly string[]).includes(type)) {
      const meant = own(OTHER_TYPES, type.toLowerCase()) ?? probablyMeant(type, SHORT_TYPES)
      const hint = meant === undefined ? '' : `did you mean ${meant}? `
      return { problem: `${name} has the type ${type.slice(0, 40)}; ${hint}use ${FIELD_TYPES}` }
    }
    // Strict JSON refuses the name, because it is not a plain field in JavaScript.
    if (name === '__proto__') return { problem: 'no field may be called __proto__' }
    if (Object.hasOwn(properties, name)) return { problem: `${name} appears twice` }
    properties[name] = {
      ...(list === undefined ? { type } : { type: 'array', items: { type } }),
      ...(about.trim() !== '' && { description: about.trim() }),
    }
    if (before === undefined && after === undefined) required.push(name)
  }
  return {
    value: {
      type: 'object',
      properties,
      ...(required.length > 0 && { required }),
      additionalProperties: false,
    },
  }
}

/** `schema:<id>` → a reference to a shared schema. */
export function readSchemaId(text: string): Reading<JsonSchema> {
  const id = text.replace(/^schema:/, '')
  if (id === '') return { problem: 'name a schema, for example schema:mail.send.request.v1' }
  const problem = id.includes('/') ? 'has a slash' : pathProblem(`schemas/${id}.json`)
  if (problem !== undefined) return { problem: `the id ${problem}` }
  return { value: { $ref: `schema:${id}` } }
}

/** A file of the bundle → a reference to it. */
export function readSchemaPath(text: string, files: readonly string[]): Reading<JsonSchema> {
  if (!files.includes(text)) return { problem: 'no such file in schemas/' }
  return { value: { $ref: text } }
}

/** JSON as typed → the schema, read as strictly as lint reads files. */
export function readSchemaJson(text: string): Reading<JsonSchema> {
  if (text === '') return { problem: 'write a JSON Schema, for example {"type":"object"}' }
  const parsed = parseJson('schema', new TextEncoder().encode(text))
  if (!parsed.ok) {
    const at = parsed.problem.offset === undefined ? '' : ` (at character ${parsed.problem.offset + 1})`
    return { problem: `this is not JSON: ${parsed.problem.message}${at}` }
  }
  const { value } = parsed.document
  if (typeof value === 'boolean') return { value }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return { problem: 'a JSON Schema is an object, true or false' }
  return { value: value as JsonSchema }
}
