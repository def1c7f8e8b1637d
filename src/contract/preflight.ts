// Arguments as a model wrote them → arguments that fit the tool's schema, or the failure that tells the model what to change
// (systems reference §4a "Preflight").
import type { TextProblem } from '../model/document.ts'
import type { JsonSchema } from '../model/tools.ts'
import { type CoerceOptions, coerce } from './coerce.ts'
import { type Failure, failure } from './envelope.ts'
import { isFields, member, readJson } from './json-text.ts'
import { serialize } from './serialize.ts'
import { type Invalid, validate } from './validate.ts'

/** What {@link preflight} does beyond the seed profile. */
export interface PreflightOptions extends CoerceOptions {
  /** Refuse whatever is no JSON object. Without it such text passes, for the tool's `requireArgumentsDictionary` to speak of. */
  readonly objectOnly?: boolean
}

/** Arguments that may be passed on, or the envelope of the refusal. */
export type Preflight =
  | {
      readonly ok: true
      /** The text that came in, to the letter, when nothing had to change; else compact JSON with sorted keys. */
      readonly text: string
      /** What `text` says; undefined where it is no JSON at all. */
      readonly value: unknown
      readonly changed: boolean
    }
  | { readonly ok: false; readonly failure: Failure }

/** Said of everything that is no JSON object. */
export const NOT_AN_OBJECT =
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

/** Arguments that are no JSON object at all. */
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
  // No argument can mend a schema that cannot be checked.
  if (reason === 'schema') return failure({ kind: 'unavailable', retryable: false, message, field, tool })
  return failure({ kind: 'invalid_args', message, field, expected, tool })
}

/** What a caller puts in place of arguments that it could not make sense of itself. */
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
