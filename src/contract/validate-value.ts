// One value and its schema → whether type, length, pattern, range and enum fit. Does not look inside the
// value.

import { own } from '../model/own.ts'
import type { JsonSchema } from '../model/tools.ts'
import { checkPattern } from '../schema/pattern.ts'
import { matchPattern } from '../text/match-pattern.ts'
import { arrayIn, isFields } from './json-text.ts'
import type { Keywords } from './keywords.ts'
import { numberText } from './number-text.ts'
import { enumText, shown, typeWords } from './say.ts'
import { booleanIn, isWholeText, magnitudeOf } from './scalar.ts'
import { codePointsUpTo } from './truncate.ts'
import { property, type ValuePlace, type Wrong, wrong } from './validation.ts'

/** Type, length, pattern and range, in this order. */
export function checkScalar(
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
export function checkEnum(
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
