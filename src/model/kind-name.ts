// A value → its kind with the article, for messages.
import { UsageError } from './error.ts'

export function kindName(value: unknown): string {
  if (value === null || value === undefined) return String(value)
  if (Array.isArray(value)) return 'a list'
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`
}

/** A value that is not what it has to be. @param is what it is: `a list` @param expected `true or false` */
export function wrongValue(field: string, is: string, expected: string): UsageError {
  return new UsageError(`Cannot use ${field}: it is ${is}`, { field, expected, hint: `Give ${expected}` })
}
