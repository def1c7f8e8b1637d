// Arguments from a model → arguments that fit the tool's schema, or the failure that tells the model what to
// change (docs/contract.md, "Arguments").
import type { TextProblem } from '../model/document.ts'
import type { JsonSchema } from '../model/tools.ts'
import { type CoerceOptions, coerce } from './coerce.ts'
import { type Failure, failure } from './envelope.ts'
import { isFields, member, readJson } from './json-text.ts'
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
