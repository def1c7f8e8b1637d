// The result of a validation, and how it names a place.
import type { JsonSchema } from '../model/tools.ts'
import { expectedBy, shown } from './say.ts'

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
export interface Wrong {
  readonly say: () => string
  readonly field: string | undefined
  readonly schema: JsonSchema | undefined
  readonly reason: Invalid['reason']
}

/** A value's position. */
export interface ValuePlace {
  /** Undefined for the arguments as a whole. */
  readonly key: string | undefined
  readonly depth: number
}

export function wrong(
  say: () => string,
  field?: string,
  schema?: JsonSchema,
  reason: Invalid['reason'] = 'mismatch',
): Wrong {
  return { say, field, schema, reason }
}

export function invalid({ say, field, schema, reason }: Wrong): Invalid {
  return {
    valid: false,
    message: say(),
    field: field === undefined ? undefined : shown(field),
    expected: schema === undefined ? undefined : expectedBy(schema),
    reason,
  }
}

/** *Property 'n'*, the beginning of most messages. */
export function property({ key }: ValuePlace): string {
  return key === undefined ? 'Property' : `Property '${shown(key)}'`
}
