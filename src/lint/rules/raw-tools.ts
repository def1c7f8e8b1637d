// tools.json as written, for rules to which an absent key differs from one with the default value.

/** @param value of a document that its schema has accepted */
export function rawTools(value: unknown): readonly object[] {
  return (value as { readonly tools?: readonly object[] } | undefined)?.tools ?? []
}
