// A keyword of two JSON Schemas, outside the compared part → whether one schema's value implies the other's.

import { isSameData } from '../json/same-data.ts'
import { own } from '../model/own.ts'
import type { SchemaObject } from './walk.ts'

/** With one of these, properties or items mean something else than without it. */
export const STEERING: readonly string[] = [
  'patternProperties',
  'unevaluatedProperties',
  'unevaluatedItems',
  'prefixItems',
  'additionalItems',
]
/** A larger number accepts fewer values. */
const LEAST = /^(?:minimum|exclusiveMinimum|minLength|minItems|minProperties)$/
/** A smaller number accepts fewer values. */
const MOST = /^(?:maximum|exclusiveMaximum|maxLength|maxItems|maxProperties)$/
/**
 * Its absence accepts more, whatever is beside it. `minContains` is not in the list: 0 accepts more than its absence. Nor is `$ref`,
 * beside which older readers ignore other keywords, nor any unknown keyword.
 */
const ONLY_NARROWS =
  /^(?:pattern|multipleOf|uniqueItems|maxContains|contains|propertyNames|dependentRequired|dependentSchemas|allOf|anyOf|oneOf|not|if|then|else)$/

/** Whether every value that `narrow` accepts satisfies this keyword of `wide`. */
export function isImplied(key: string, wide: SchemaObject, narrow: SchemaObject): boolean {
  const [w, n] = [own(wide, key), own(narrow, key)]
  if (isSameData(w, n)) return true
  if (LEAST.test(key)) return isBound(n) && (w === undefined || (isBound(w) && w <= n))
  if (MOST.test(key)) return isBound(n) && (w === undefined || (isBound(w) && w >= n))
  return w === undefined && ONLY_NARROWS.test(key)
}

/** Whether a scalar is known to satisfy a keyword. */
export function isWithinBound(key: string, bound: unknown, value: unknown): boolean {
  if (!isBound(bound)) return false
  const size = /Length$/.test(key) ? lengthOf(value) : /imum$/.test(key) ? numberOf(value) : undefined
  // The keyword is about values of another type.
  if (size === undefined) return LEAST.test(key) || MOST.test(key)
  if (/^exclusive/.test(key) && size === bound) return false
  return LEAST.test(key) ? size >= bound : MOST.test(key) && size <= bound
}

function isBound(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value)
}

/** In characters, as JSON Schema counts. */
function lengthOf(value: unknown): number | undefined {
  return typeof value === 'string' ? [...value].length : undefined
}

function numberOf(value: unknown): number | undefined {
  return typeof value === 'number' ? value : undefined
}
