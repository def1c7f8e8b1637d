// Validates arguments by the part of JSON Schema that the contract's preflight uses (docs/contract.md, "Arguments").
import { own } from '../model/own.ts'
import type { JsonSchema } from '../model/tools.ts'
import { checkPattern } from '../schema/pattern.ts'
import { matchPattern } from '../text/match-pattern.ts'
import { arrayIn, isFields, member } from './json-text.ts'
import { admitsNull, describesFields, type Keywords, keywordsOf, MAX_DEPTH } from './keywords.ts'
import { enumText, expectedBy, listed, numberText, shown, typeWords } from './say.ts'
import { booleanIn, isWholeText, magnitudeOf } from './scalar.ts'
import { codePointsUpTo } from './truncate.ts'

/**
 * Values and branches that are checked for one call: far more than any tool is sent, and a fraction of a
 * second.
 */
const MOST_CHECKS = 5_000_000

/**
 * The first mismatch of the arguments: required fields in the order of the schema, then unknown ones, then
 * values in the order in which they were sent. Run {@link coerce} first: this accepts texts that spell a
 * declared number, truth value or array, and looks no deeper into them.
 *
 * `oneOf` counts as `anyOf`. Keywords that the contract does not name are ignored. `$ref` is one of them: it
 * is not followed, so there are no cycles, and its target is not checked. If that matters, inline references
 * first, or run a full validator after this one. Never throws, whatever the value.
 */
export function validate(value: unknown, schema: JsonSchema): Validation {
  if (typeof schema !== 'boolean' && !isFields(schema))
    return invalid(wrong(() => 'Schema must be an object', undefined, undefined, 'schema'))
  const found = new Validator().root(value, schema)
  return found === undefined ? { valid: true } : invalid(found)
}

/** A schema can hold far more branches than a call has values. */
const BRANCH_COST = 9

class Validator {
  #left = MOST_CHECKS

  root(value: unknown, schema: JsonSchema): Wrong | undefined {
    const keywords = keywordsOf(schema)
    const at: ValuePlace = { key: undefined, depth: 0 }
    if (isFields(value) && keywords.type === 'object') return this.#fields(value, keywords, at)
    if (!isFields(value) && describesFields(keywords)) return wrong(() => 'Arguments must be an object')
    return this.#value(value, schema, at)
  }

  #fields(
    fields: { readonly [name: string]: unknown },
    keywords: Keywords,
    at: ValuePlace,
  ): Wrong | undefined {
    const { properties, required, isClosed } = keywords
    for (const key of required) {
      const sent = member(fields, key) ?? undefined
      const schema = member(properties, key) as JsonSchema | undefined
      const isNullable = schema !== undefined && admitsNull(keywordsOf(schema))
      if (sent === undefined && !(isNullable && Object.hasOwn(fields, key)))
        return wrong(() => `Missing required property: ${shown(key)}`, key, schema)
    }
    const names = Object.keys(fields)
    const unknown = isClosed ? names.find(name => !Object.hasOwn(properties, name)) : undefined
    if (unknown !== undefined) {
      const allowed = () => listed(Object.keys(properties).sort())
      return wrong(() => `Unexpected property \`${shown(unknown)}\`. Allowed: ${allowed()}`, unknown)
    }
    for (const name of names) {
      const schema = member(properties, name) as JsonSchema | undefined
      if (schema === undefined) continue
      const found = this.#value(own(fields, name), schema, { key: name, depth: at.depth + 1 })
      if (found !== undefined) return found
    }
    return undefined
  }

  #value(value: unknown, schema: JsonSchema, at: ValuePlace): Wrong | undefined {
    if (this.#left-- <= 0) return tooLarge('Arguments are too large to be checked', at)
    if (at.depth > MAX_DEPTH) return tooLarge('Arguments are nested too deeply to be checked', at)
    if (schema === false) return wrong(() => `${property(at)} is not allowed`, at.key)
    const keywords = keywordsOf(schema)
    if (value === null && admitsNull(keywords)) return undefined
    return (
      this.#branches(value, schema, keywords, at) ??
      checkScalar(value, schema, keywords, at) ??
      this.#items(value, keywords, at) ??
      checkEnum(value, schema, keywords, at) ??
      this.#nested(value, keywords, at)
    )
  }

  #branches(value: unknown, schema: JsonSchema, { branches }: Keywords, at: ValuePlace): Wrong | undefined {
    if (branches === undefined) return undefined
    let undecided: Wrong | undefined
    for (const branch of branches) {
      this.#left -= BRANCH_COST
      const found = this.#value(value, branch, { ...at, depth: at.depth + 1 })
      if (found === undefined) return undefined
      if (found.reason !== 'mismatch') undecided ??= found
    }
    return (
      undecided ??
      wrong(() => `${property(at)} did not match any of the allowed schema branches.`, at.key, schema)
    )
  }

  #items(value: unknown, { items }: Keywords, at: ValuePlace): Wrong | undefined {
    if (!Array.isArray(value) || items === undefined) return undefined
    for (const [index, item] of value.entries()) {
      const key = `${at.key ?? ''}[${index}]`
      const found = this.#value(item, items, { key, depth: at.depth + 1 })
      if (found !== undefined) return found
    }
    return undefined
  }

  #nested(value: unknown, keywords: Keywords, at: ValuePlace): Wrong | undefined {
    return isFields(value) ? this.#fields(value, keywords, at) : undefined
  }
}

function tooLarge(message: string, { key }: ValuePlace): Wrong {
  return wrong(() => message, key, undefined, 'too-large')
}

/** Type, length, pattern and range, in this order. */
function checkScalar(
  value: unknown,
  schema: JsonSchema,
  keywords: Keywords,
  at: ValuePlace,
): Wrong | undefined {
  const words = typeWords(keywords.type)
  if (words !== undefined && !own(FITS, keywords.type ?? '')?.(value))
    return wrong(() => `${property(at)} must be ${words}`, at.key, schema)
  if (typeof value === 'string') {
    const found = checkLength(value, schema, keywords, at) ?? checkText(value, schema, keywords, at)
    if (found !== undefined) return found
  }
  return checkRange(value, schema, keywords, at)
}

/**
 * A text that spells the value fits: without coercion a caller must not be worse off than with the tool's own
 * check.
 */
const FITS: Readonly<Record<string, (value: unknown) => boolean>> = {
  string: value => typeof value === 'string',
  integer: value => (typeof value === 'string' ? isWholeText(value) : Number.isInteger(value)),
  number: value => (typeof value === 'string' ? magnitudeOf(value) !== undefined : Number.isFinite(value)),
  // Native 1 and 0 are numbers, not truth values.
  boolean: value => (typeof value === 'string' ? booleanIn(value) !== undefined : typeof value === 'boolean'),
  object: isFields,
  array: value => (typeof value === 'string' ? arrayIn(value) !== undefined : Array.isArray(value)),
}

function checkLength(
  text: string,
  schema: JsonSchema,
  { minLength, maxLength }: Keywords,
  at: ValuePlace,
): Wrong | undefined {
  if (minLength === undefined && maxLength === undefined) return undefined
  const length = codePointsUpTo(text, text.length)
  const bound =
    minLength !== undefined && length < minLength
      ? `at least ${minLength}`
      : maxLength !== undefined && length > maxLength
        ? `at most ${maxLength}`
        : undefined
  if (bound === undefined) return undefined
  return wrong(() => `${property(at)} must contain ${bound} characters (got ${length}).`, at.key, schema)
}

function checkText(
  text: string,
  schema: JsonSchema,
  { pattern }: Keywords,
  at: ValuePlace,
): Wrong | undefined {
  // An invalid regular expression is ignored, as upstream does; lint reports it (rule schema/pattern).
  if (pattern === undefined || checkPattern(pattern) !== undefined) return undefined
  const match = matchPattern(pattern, text)
  if (!match.decided) {
    const { why, fault } = match
    const say = () => `${property(at)} cannot be checked against its pattern \`${shown(pattern)}\`: ${why}`
    return wrong(say, at.key, schema, fault === 'text' ? 'too-large' : 'schema')
  }
  if (match.found) return undefined
  return wrong(() => `${property(at)} does not match required pattern \`${shown(pattern)}\`.`, at.key, schema)
}

function checkRange(
  value: unknown,
  schema: JsonSchema,
  { minimum, maximum }: Keywords,
  at: ValuePlace,
): Wrong | undefined {
  if (minimum === undefined && maximum === undefined) return undefined
  const number = typeof value === 'string' ? magnitudeOf(value) : value
  if (typeof number !== 'number') return undefined
  const bound =
    minimum !== undefined && number < minimum
      ? `>= ${numberText(minimum)}`
      : maximum !== undefined && number > maximum
        ? `<= ${numberText(maximum)}`
        : undefined
  if (bound === undefined) return undefined
  return wrong(() => `${property(at)} must be ${bound} (got ${numberText(number)}).`, at.key, schema)
}

/** Compares texts in any case; coercion gives them the declared spelling. */
function checkEnum(
  value: unknown,
  schema: JsonSchema,
  { enum: choices }: Keywords,
  at: ValuePlace,
): Wrong | undefined {
  if (choices === undefined) return undefined
  const isMember = typeof value === 'string' ? choices.spell(value) !== undefined : choices.has(value)
  if (isMember) return undefined
  return wrong(() => `${property(at)} must be one of: ${enumText(choices.members)}`, at.key, schema)
}

export type Validation = { readonly valid: true } | Invalid

/** The first thing that is wrong. */
export interface Invalid {
  readonly valid: false
  readonly message: string
  /** The field's own name, `name[1]` for an element; undefined for the arguments as a whole. */
  readonly field: string | undefined
  /** What the schema expects there, if a word can say it. */
  readonly expected: string | undefined
  /**
   * `mismatch`: it does not fit. The others: undecided, because the value is too large or the schema is at
   * fault.
   */
  readonly reason: 'mismatch' | 'too-large' | 'schema'
}

/**
 * A problem without its message. Most branches are tried and dropped, so a message is made only when needed.
 */
interface Wrong {
  readonly say: () => string
  readonly field: string | undefined
  readonly schema: JsonSchema | undefined
  readonly reason: Invalid['reason']
}

/** A value's position. */
interface ValuePlace {
  /** Undefined for the arguments as a whole. */
  readonly key: string | undefined
  readonly depth: number
}

function wrong(
  say: () => string,
  field?: string,
  schema?: JsonSchema,
  reason: Invalid['reason'] = 'mismatch',
): Wrong {
  return { say, field, schema, reason }
}

function invalid({ say, field, schema, reason }: Wrong): Invalid {
  return {
    valid: false,
    message: say(),
    field: field === undefined ? undefined : shown(field),
    expected: schema === undefined ? undefined : expectedBy(schema),
    reason,
  }
}

/** *Property 'n'*, the beginning of most messages. */
function property({ key }: ValuePlace): string {
  return key === undefined ? 'Property' : `Property '${shown(key)}'`
}
