// A keyword of two JSON Schemas that the comparison does not look into → whether what the one says follows from what the other says.
import { own } from '../../model/own.ts'
import { isSameData } from '../same-data.ts'
import type { SchemaObject } from './walk.ts'

/** With one of these beside them, properties or items of one schema mean something else than in another. */
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
 * Where it is not there, more is accepted, whatever stands beside it. `minContains` is none of them: 0 accepts more than nothing does.
 * Nor is `$ref`, which older readers let count alone, nor a word that this build does not know.
 */
const ONLY_NARROWS =
  /^(?:pattern|multipleOf|uniqueItems|maxContains|contains|propertyNames|dependentRequired|dependentSchemas|allOf|anyOf|oneOf|not|if|then|else)$/

/** Whether every value that `narrow` accepts has what `wide` says by this keyword. */
export function isImplied(key: string, wide: SchemaObject, narrow: SchemaObject): boolean {
  const [w, n] = [own(wide, key), own(narrow, key)]
  if (isSameData(w, n)) return true
  if (LEAST.test(key)) return isBound(n) && (w === undefined || (isBound(w) && w <= n))
  if (MOST.test(key)) return isBound(n) && (w === undefined || (isBound(w) && w >= n))
  return w === undefined && ONLY_NARROWS.test(key)
}

/** Whether a scalar is known to have what a keyword says. */
export function isWithinBound(key: string, bound: unknown, value: unknown): boolean {
  if (!isBound(bound)) return false
  const size = /Length$/.test(key) ? lengthOf(value) : /imum$/.test(key) ? numberOf(value) : undefined
  // Nothing is said of values of another kind.
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
