// Looks up a value by a name from outside. A plain lookup would find inherited members such as `constructor`.

/** The record's own value under the name; undefined if it has none. */
export function own<T>(
  record: { readonly [name: string]: T } | null | undefined,
  name: string | number,
): T | undefined {
  return record !== undefined && record !== null && Object.hasOwn(record, name) ? record[name] : undefined
}

/** Whether a parsed value is an object or a table, and neither a list nor null. */
export function isTable(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
