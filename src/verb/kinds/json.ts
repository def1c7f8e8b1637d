// What a program hands in that becomes JSON.
import { UsageError } from '../../model/error.ts'

/** What JSON says of it. @throws UsageError for what JSON cannot hold */
export function jsonOf(value: unknown, field: string): string {
  try {
    return JSON.stringify(value) ?? ''
  } catch (error) {
    throw new UsageError(`Cannot use ${field}: ${error instanceof Error ? error.message : 'it is no JSON'}`, {
      field,
      expected: 'what JSON can hold',
    })
  }
}
