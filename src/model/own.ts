// A value by a name that came from outside. In a plain object `constructor` finds what JavaScript put there, and never a missing value.

/** What the record itself holds under the name; undefined where it holds nothing. */
export function own<T>(
  record: { readonly [name: string]: T } | null | undefined,
  name: string | number,
): T | undefined {
  return record !== undefined && record !== null && Object.hasOwn(record, name) ? record[name] : undefined
}
