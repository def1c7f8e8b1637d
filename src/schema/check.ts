// A parsed document → where it breaks its JSON Schema, in words.
import type { Pointer, ShapeProblem } from '../model/document.ts'
import { usesFirstParts } from '../model/first-parts.ts'
import { isTable, own } from '../model/own.ts'
import { extent } from './extent.ts'
import { ownSchemas } from './generated/schemas.js'
import { fitsOwn, type OwnSchema, ownErrors } from './own-errors.ts'
import type { Speech } from './problem-words.ts'
import { onePerPlace, toProblem } from './problems.ts'

export type ShapeKind = 'manifest' | 'lint' | 'policy' | 'toolsV1'

/** The most problems of one document that are listed. */
export const MAX_SHAPE_PROBLEMS = 100
/** The most errors of one part that are examined: enough to count the unlisted ones, and few enough for a hostile document. */
const MAX_ERRORS = 10_000
/** How deep arrays and objects may nest: the strict parsers' own bound, which the recursive meta-schema relies on. */
const MAX_SCHEMA_DEPTH = 64
/** A value that is checked in one pass. */
interface Part {
  readonly at: Pointer
  readonly value: unknown
  readonly schema: OwnSchema
  /** The document that holds the targets of the schema's references. */
  readonly root: OwnSchema
}

const SPEECH: Readonly<Record<ShapeKind | 'schema', Speech>> = {
  manifest: { language: 'toml', root: 'manifest.toml', ours: true },
  lint: { language: 'toml', root: '[lint]', ours: true },
  policy: { language: 'toml', root: 'policy.caps', ours: true },
  toolsV1: { language: 'json', root: 'tools.json', ours: true },
  schema: { language: 'json', root: 'the schema', ours: true },
}

/**
 * Where a document of ours breaks its schema in `schemas/`; empty if it does not. One problem per place, at most {@link
 * MAX_SHAPE_PROBLEMS}, and then one more that counts the rest.
 * @param value plain data from the strict parsers; for `lint` the manifest's `[lint]`, which is checked apart from the rest
 * @param dates the places of dates and times of TOML: no text is expected there, also where one would fit
 */
export function checkShape(kind: ShapeKind, value: unknown, dates: readonly Pointer[] = []): ShapeProblem[] {
  if (kind === 'toolsV1') {
    const schema = ownSchemas['tools.v1']
    // As a whole, and only if that does not fit tool by tool.
    if (usesFirstParts() && fitsOwn(value, schema, schema)) return []
    return problemsOfParts(toolsParts(value), SPEECH.toolsV1)
  }
  const [at, schema] = kind === 'lint' ? [['lint'], definition('manifest', 'lint')] : [[], ownSchemas[kind]]
  const root = kind === 'policy' ? ownSchemas.policy : ownSchemas.manifest
  return problemsOfParts([{ at, value: withoutDates(value, dates), schema, root }], SPEECH[kind])
}

/**
 * Where a schema breaks the JSON Schema 2020-12 meta-schema. Does not check patterns and references.
 * @param depth how deep its arrays and objects nest, if that is known
 */
export function checkJsonSchema(schema: unknown, depth: number = extent(schema).depth): ShapeProblem[] {
  if (depth > MAX_SCHEMA_DEPTH) {
    const message = `The schema has more than ${MAX_SCHEMA_DEPTH} levels of nesting`
    return [{ pointer: [], part: 'value', message, fix: 'Move inner schemas to $defs', keyword: 'depth' }]
  }
  const { meta } = ownSchemas
  return problemsOfParts([{ at: [], value: schema, schema: meta, root: meta }], SPEECH.schema)
}

/** Tool by tool, so that a file full of broken tools never has all of its errors in memory. */
function toolsParts(value: unknown): Part[] {
  const root = ownSchemas['tools.v1']
  const tools = isTable(value) ? value['tools'] : undefined
  const whole = { at: [], value, schema: root, root }
  if (!isTable(value) || !Array.isArray(tools)) return [whole]
  const schema = definition('tools.v1', 'tool')
  return [
    { ...whole, value: { ...value, tools: [] } },
    ...tools.map((entry, index) => ({ at: ['tools', index], value: entry, schema, root })),
  ]
}

function definition(document: keyof typeof ownSchemas, name: string): OwnSchema {
  const schema = own(ownSchemas[document].$defs, name)
  if (schema === undefined) throw new TypeError(`${document} defines no ${name}`)
  return schema
}

function problemsOfParts(parts: readonly Part[], speech: Speech): ShapeProblem[] {
  const listed: ShapeProblem[] = []
  let left = 0
  let isExact = true
  for (const { at, value, schema, root } of parts) {
    const room = MAX_SHAPE_PROBLEMS - listed.length
    const most = room === 0 ? 1 : MAX_ERRORS
    const errors = ownErrors(value, schema, root, most)
    if (errors.length === 0) continue
    if (errors.length === most) isExact = false
    const telling = onePerPlace(errors)
    listed.push(...telling.slice(0, room).map(error => toProblem(error, at, value, speech)))
    left += Math.max(0, telling.length - room)
  }
  if (left === 0 && isExact) return listed
  const message = `${isExact ? '' : 'At least '}${left} more ${left === 1 ? 'problem is' : 'problems are'} not listed`
  const fix = 'Correct what is listed, then check again'
  return [...listed, { pointer: [], part: 'value', message, fix, keyword: 'limit' }]
}

/** TOML has no null and our schemas allow none there, so null means a date here. */
function withoutDates(value: unknown, dates: readonly Pointer[]): unknown {
  if (dates.length === 0) return value
  const places = new Set(dates.map(pointer => JSON.stringify(pointer)))
  const copy = (value: unknown, at: Pointer): unknown => {
    if (typeof value === 'string') return places.has(JSON.stringify(at)) ? null : value
    if (Array.isArray(value)) return value.map((item, index) => copy(item, [...at, index]))
    if (!isTable(value)) return value
    return Object.fromEntries(Object.entries(value).map(([key, child]) => [key, copy(child, [...at, key])]))
  }
  return copy(value, [])
}
