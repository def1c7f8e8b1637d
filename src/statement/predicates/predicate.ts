// What every kind of statement that this program makes says about itself.
import type { ComparedField } from '../../model/trust.ts'

/** What a statement of one kind names; undefined where it does not, or not clearly. */
export type StatedFields<Field extends string = string> = Readonly<Record<Field, string | undefined>>

export interface Predicate<Field extends string = string> {
  /** Its `predicateType`, by the name that in-toto gives it. */
  readonly type: string
  /** For people. */
  readonly word: string
  /** What `rlp agent inspect` shows of a statement that is believed, in this order. */
  readonly shown: readonly Field[]
  /** What a trust policy may require of it. */
  readonly compared: readonly (Field & ComparedField)[]
  readonly fields: (predicate: Readonly<Record<string, unknown>>) => StatedFields<Field>
  /** Of a kind that names what was built. */
  readonly origins?: (predicate: Readonly<Record<string, unknown>>) => StatedOrigins
}

/** What was built, in each place where it is named. */
export interface StatedOrigins {
  readonly sources: readonly unknown[]
  readonly refs: readonly unknown[]
}

/** For a kind of which nothing but its type is looked at. */
export const NOTHING_NAMED = {
  shown: [],
  compared: [],
  fields: () => ({}),
} as const satisfies Omit<Predicate<never>, 'type' | 'word'>
