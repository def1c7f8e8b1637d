// The schema of a tool's input → the schema that a model may see, without internal fields at any depth (Agent Tool, a MUST).
import type { Pointer } from '../../model/document.ts'
import { RlpError } from '../../model/error.ts'
import { PARSE_LIMITS } from '../../model/limits.ts'
import { own } from '../../model/own.ts'
import type { JsonSchema } from '../../model/tools.ts'
import { extent } from '../schema/extent.ts'
import { inner, isSchemaObject, type SchemaObject } from '../schema/walk.ts'
import { hideNames } from './hidden-names.ts'
import { type InternalMarks, isTooLarge, MAX_MARKED, readMarks } from './internal-marks.ts'
import { removeMentions } from './mentions.ts'
import { removeUnreached } from './unreached.ts'

export interface ModelSchemaOptions {
  /** The executor's schema: fields that it marks are removed too. */
  readonly runtime?: JsonSchema | undefined
  /** Fields of the input that a record lists as internal. */
  readonly listed?: readonly string[]
}

export interface ModelSchema {
  readonly schema: JsonSchema
  /** Names of the fields that are internal, sorted. */
  readonly removed: readonly string[]
}

/** Shown to a model if the whole input is internal. */
const NOTHING: JsonSchema = { type: 'object', properties: {}, additionalProperties: false }

/**
 * The same schema if it has no internal part. References to other documents stay: resolve and inline them first. Pointers into the schema
 * stay valid.
 * @throws RlpError LIMIT_EXCEEDED for a schema that nests deeper than any file may, or has more than {@link MAX_MARKED} subschemas
 */
export function modelSchema(schema: JsonSchema, options: ModelSchemaOptions = {}): ModelSchema {
  refuseLarge([schema, options.runtime ?? true])
  if (!isSchemaObject(schema)) return { schema, removed: [] }
  // Copied through JSON: an object that is in two places would be changed in both.
  const text = JSON.stringify(schema)
  const plain = JSON.parse(text) as SchemaObject
  const marks = readMarks(plain)
  const { names, isAll } = hideNames(plain, marks, options)
  const removed = [...names].sort()
  if (isAll) return { schema: NOTHING, removed }
  const isIn = marks.nodes.some(node => marks.isInternal(node.schema) || touches(node.schema, marks))
  if (!isIn) return { schema, removed: [] }
  const copy = JSON.parse(text) as SchemaObject
  for (const node of marks.nodes) {
    const part = partAt(copy, node.pointer)
    if (part === undefined) continue
    removeParts(part, node.schema, marks)
    removeNames(part, marks.spotOf(node.schema)?.names ?? NO_NAMES)
  }
  removeMentions(copy, names)
  removeUnreached(copy, marks)
  return { schema: copy, removed }
}

type Part = Record<string, unknown>

const NO_NAMES: ReadonlySet<string> = new Set()

/** Keywords that forbid everything not described elsewhere. Removing them would allow everything. */
const CLOSING = ['additionalProperties', 'unevaluatedProperties', 'items', 'unevaluatedItems']
const CONDITION = ['if', 'then', 'else']

function removeParts(part: Part, schema: SchemaObject, marks: InternalMarks): void {
  for (const { steps, schema: child } of inner(schema)) {
    const keyword = String(steps[0])
    const key = steps[1]
    if (!marks.isInternal(child)) continue
    // In a list it becomes `false`, so that the others keep their index for references.
    if (typeof key === 'number') (own(part, keyword) as unknown[])[key] = false
    else if (key !== undefined) delete (own(part, keyword) as Part | undefined)?.[key]
    else if (CLOSING.includes(keyword)) part[keyword] = false
    // A branch without its condition would always apply, and a condition without branches would still name the field.
    else for (const one of CONDITION.includes(keyword) ? CONDITION : [keyword]) delete part[one]
  }
}

function removeNames(part: Part, names: ReadonlySet<string>): void {
  if (names.size === 0) return
  for (const keyword of ['properties', 'dependentSchemas', 'dependentRequired', 'dependencies']) {
    const named = own(part, keyword)
    if (!isSchemaObject(named)) continue
    const kept = Object.entries(named).filter(([name]) => !names.has(name))
    part[keyword] = Object.fromEntries(kept.map(([name, value]) => [name, without(value, names)]))
  }
  if (Object.hasOwn(part, 'required')) part['required'] = without(part['required'], names)
  // It also counted the removed fields.
  delete part['minProperties']
}

function without(list: unknown, names: ReadonlySet<string>): unknown {
  return Array.isArray(list) ? list.filter(name => !names.has(name as string)) : list
}

/** Whether a schema itself mentions internal fields. */
function touches(schema: SchemaObject, marks: InternalMarks): boolean {
  const names = marks.spotOf(schema)?.names ?? NO_NAMES
  if (names.size === 0) return false
  const part = { ...schema }
  removeNames(part, names)
  return JSON.stringify(part) !== JSON.stringify(schema)
}

function refuseLarge(schemas: readonly JsonSchema[]): void {
  const depth = Math.max(...schemas.map(schema => extent(schema).depth))
  const refuse = (seen: string, hint: string) =>
    new RlpError('LIMIT_EXCEEDED', `Cannot make the schema for a model: it has ${seen}`, { hint })
  if (depth > PARSE_LIMITS.jsonDepth)
    throw refuse(`${depth} levels`, `Describe the input with at most ${PARSE_LIMITS.jsonDepth} levels`)
  if (isTooLarge(schemas))
    throw refuse(`more than ${MAX_MARKED} subschemas`, 'Describe the input less closely')
}

function partAt(root: unknown, pointer: Pointer): Part | undefined {
  let here = root
  for (const step of pointer) here = own(here as Part | undefined, step)
  return isSchemaObject(here) ? (here as Part) : undefined
}
