// A user's JSON Schema 2020-12 → a function that checks values.

import { stepsOf, valueAt } from '../json/pointer.ts'
import type { Pointer } from '../model/document.ts'
import type { JsonSchema } from '../model/tools.ts'
import { shortText } from '../text/quote.ts'
import { findEndless } from './cost.ts'
import { type ErrorObject, type Generated, generate, type ValidateFunction } from './generate.ts'
import { type LinkedSchemas, linkSchemas, openRefs, type SchemaProblem } from './link.ts'
import type { RawError } from './own-errors.ts'
import { PatternTooMuch } from './pattern-engine.ts'
import { sentenceFor } from './problem-words.ts'
import { onePerPlace, pointerOf } from './problems.ts'
import type { ResolveRef } from './reference.ts'

/** The first mismatch between a value and its schema. */
interface Violation {
  readonly pointer: Pointer
  /** One sentence without a full stop. */
  readonly message: string
  /** The keyword that failed. */
  readonly keyword: string
}

export interface CompiledSchema {
  readonly ok: true
  /** Undefined if the value fits. Never throws, whatever the value. */
  check(value: unknown): Violation | undefined
  /** References to the runtime's registry: their targets are not checked here. */
  readonly unresolved: readonly string[]
}

type CompileResult = CompiledSchema | { readonly ok: false; readonly problems: readonly SchemaProblem[] }

/**
 * Compiles a schema, with everything it refers to. `format` is only an annotation; `nullable: true` beside `type` allows null (tool
 * contract, "later" profile).
 * @param resolve finds the targets of `schema:<id>` and relative paths; the default finds none
 * @param path the file of the bundle that holds the schema
 */
export async function compileSchema(
  schema: JsonSchema,
  resolve: ResolveRef = () => undefined,
  path = 'tools.json',
): Promise<CompileResult> {
  const linked = linkSchemas(schema, path, resolve)
  if (linked.problems.length > 0) return { ok: false, problems: linked.problems }
  const problem = findEndless(linked)
  if (problem !== undefined) return { ok: false, problems: [problem] }
  return compile(linked, openRefs(linked))
}

async function compile(linked: LinkedSchemas, unresolved: readonly string[]): Promise<CompileResult> {
  let generated: Generated
  try {
    generated = await generate(linked)
  } catch (error) {
    // ajv's own errors are about the schema; the engine's are about a defect.
    const isDefect = [TypeError, ReferenceError, SyntaxError].some(kind => error instanceof kind)
    if (!(error instanceof Error) || isDefect) throw error
    const why = error instanceof RangeError ? 'it is too large' : shortText(error.message, 120)
    const message = `The schema cannot be compiled: ${why}`
    return { ok: false, problems: [{ document: '', pointer: [], message, fix: 'Write it in a simpler way' }] }
  }
  const { validate, start } = generated
  const judge = (value: unknown): Violation | undefined => {
    start()
    return check(validate, value)
  }
  return { ok: true, unresolved, check: judge }
}

function check(validate: ValidateFunction, value: unknown): Violation | undefined {
  let errors: readonly ErrorObject[]
  try {
    if (validate(value)) return undefined
    errors = validate.errors ?? []
    validate.errors = null
  } catch (error) {
    if (error instanceof PatternTooMuch) {
      const message = `A text in the value cannot be held against the pattern ${error.message}`
      return { pointer: [], message, keyword: 'pattern' }
    }
    // A recursive schema goes as deep as the value does, and an unbounded value can be deeper than the stack.
    if (!(error instanceof RangeError)) throw error
    return { pointer: [], message: 'The value nests too deeply to be checked', keyword: 'depth' }
  }
  const [error] = onePerPlace(withoutBranches(errors).map(error => withData(error, value)))
  if (error === undefined) return { pointer: [], message: 'The value does not fit the schema', keyword: '' }
  const pointer = pointerOf(error.instancePath, value)
  return { pointer, message: sentenceFor(error, pointer, SPEECH), keyword: error.keyword }
}

const SPEECH = { language: 'json', root: 'the value', ours: false } as const
const COMPOSITE = ['anyOf', 'oneOf', 'not', 'contains', 'propertyNames']

/** A composite reports the errors of its branches first, then its own, which is the one that counts. */
function withoutBranches(errors: readonly ErrorObject[]): ErrorObject[] {
  const kept: ErrorObject[] = []
  for (const error of errors) {
    if (COMPOSITE.includes(error.keyword)) {
      while (kept.at(-1)?.instancePath.startsWith(error.instancePath)) kept.pop()
    }
    kept.push(error)
  }
  return kept
}

/** The error with its value. ajv could add the value itself, but only by larger code for every keyword. */
function withData({ instancePath, keyword, params }: ErrorObject, value: unknown): RawError {
  const data = valueAt(value, stepsOf(instancePath))
  return { instancePath, keyword, params, data, parentSchema: {} }
}
