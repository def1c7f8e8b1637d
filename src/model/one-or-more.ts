// What a caller of the library may give once or as a list.
import { UsageError } from './error.ts'

export type OneOrMore<T> = T | readonly T[]

/**
 * @returns none if it is left out
 * @throws UsageError for an empty list: a caller who computed it meant some, and none would refuse less
 */
export function eachOf<T>(given: OneOrMore<T> | undefined, field: string): readonly T[] {
  if (given === undefined) return []
  if (!isList(given)) return [given]
  if (given.length > 0) return given
  throw new UsageError(`Cannot use ${field}: the list is empty`, {
    field,
    hint: `Name at least one, or leave ${field} out`,
  })
}

function isList<T>(given: OneOrMore<T>): given is readonly T[] {
  return Array.isArray(given)
}
