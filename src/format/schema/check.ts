// A parsed document → where it differs from its JSON Schema, in words. The validators are compiled at build time, without ajv here.
import type { Pointer, ShapeProblem } from '../../model/document.ts'
import type { Validator } from '../generated/validators.js'
import * as compiled from '../generated/validators.js'
import { extent } from './extent.ts'
import { onePerPlace, run, toProblem } from './raw-errors.ts'
import type { Speech } from './words.ts'

export type ShapeKind = 'manifest' | 'lint' | 'policy' | 'toolsV1'

/** The most problems of one document that are listed. */
export const MAX_SHAPE_PROBLEMS = 100
/** Arrays and objects within one another: the strict parsers' own bound, which the recursive meta-schema relies on. */
export const MAX_SCHEMA_DEPTH = 64
/** Errors grow with the number of values, and ajv joins them in quadratic time: larger parts get their first problem only. */
const MAX_VALUES = 20_000

/** Something that is judged in one go. */
interface Part {
  readonly at: Pointer
  readonly value: unknown
  readonly all: Validator
  readonly first: Validator
}

const SPEECH: Readonly<Record<ShapeKind | 'schema', Speech>> = {
  manifest: { language: 'toml', root: 'manifest.toml', ours: true },
  lint: { language: 'toml', root: '[lint]', ours: true },
  policy: { language: 'toml', root: 'policy.caps', ours: true },
  toolsV1: { language: 'json', root: 'tools.json', ours: true },
  schema: { language: 'json', root: 'the schema', ours: true },
}

/**
 * Where a document of ours differs from its schema in `schemas/`; empty when it does not. One problem per place, at most
 * {@link MAX_SHAPE_PROBLEMS}, and then one more that counts the rest.
 *
 * @param value plain data from the strict parsers; for `lint` the manifest's `[lint]`, the rest of which does not depend on it
 */
export function checkShape(kind: ShapeKind, value: unknown): ShapeProblem[] {
  const { lint, lintFirst, manifest, manifestFirst, policy, policyFirst } = compiled
  if (kind === 'toolsV1') return judge(toolsParts(value), SPEECH.toolsV1)
  if (kind === 'lint')
    return judge([{ at: ['lint'], value: withoutDates(value), all: lint, first: lintFirst }], SPEECH.lint)
  const [all, first] = kind === 'manifest' ? [manifest, manifestFirst] : [policy, policyFirst]
  return judge([{ at: [], value: withoutDates(value), all, first }], SPEECH[kind])
}

/** Where a schema differs from the JSON Schema 2020-12 meta-schema. Patterns and references are not looked into. */
export function checkJsonSchema(schema: unknown): ShapeProblem[] {
  if (extent(schema).depth > MAX_SCHEMA_DEPTH) {
    const message = `The schema has more than ${MAX_SCHEMA_DEPTH} levels of nesting`
    return [{ pointer: [], part: 'value', message, fix: 'Move inner schemas to $defs', keyword: 'depth' }]
  }
  const { metaSchema: all, metaSchemaFirst: first } = compiled
  return judge([{ at: [], value: schema, all, first }], SPEECH.schema)
}

/** Tool by tool, so that the errors of a file full of broken tools are never in memory together. */
function* toolsParts(value: unknown): Generator<Part> {
  const { toolsV1, toolsV1First, tool, toolFirst } = compiled
  const tools = isObject(value) ? value['tools'] : undefined
  const whole = { at: [], value, all: toolsV1, first: toolsV1First }
  if (!isObject(value) || !Array.isArray(tools)) return yield whole
  yield { ...whole, value: { ...value, tools: [] } }
  for (const [index, entry] of tools.entries()) {
    yield { at: ['tools', index], value: entry, all: tool, first: toolFirst }
  }
}

function judge(parts: Iterable<Part>, speech: Speech): ShapeProblem[] {
  const listed: ShapeProblem[] = []
  let left = 0
  let isExact = true
  for (const { at, value, all, first } of parts) {
    let errors = run(first, value)
    if (errors.length === 0) continue
    const room = MAX_SHAPE_PROBLEMS - listed.length
    if (room === 0) {
      isExact = false
      left++
      continue
    }
    if (extent(value).values > MAX_VALUES) isExact = false
    else errors = run(all, value)
    const telling = onePerPlace(errors)
    listed.push(...telling.slice(0, room).map(error => toProblem(error, at, value, speech)))
    left += Math.max(0, telling.length - room)
  }
  if (left === 0 && isExact) return listed
  const message =
    left === 0
      ? 'The document is large: there may be more problems'
      : `${isExact ? '' : 'At least '}${left} more ${left === 1 ? 'problem is' : 'problems are'} not listed`
  const fix = 'Correct what is listed, then check again'
  return [...listed, { pointer: [], part: 'value', message, fix, keyword: 'limit' }]
}

/** ajv would take a date for a table without keys. TOML has no null and our schemas allow none there, so null says "a date". */
function withoutDates(value: unknown): unknown {
  if (value instanceof Date) return null
  if (Array.isArray(value)) return value.map(withoutDates)
  if (!isObject(value)) return value
  return Object.fromEntries(Object.entries(value).map(([key, child]) => [key, withoutDates(child)]))
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
