// A text that a user typed → what it means.

/** The value, or why there is none. */
export type Reading<T> = { readonly value: T } | { readonly problem: string }

export function problemIn(reading: Reading<unknown>): string | undefined {
  return 'problem' in reading ? reading.problem : undefined
}
