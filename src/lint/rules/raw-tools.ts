// tools.json as it is written: for rules to which a key that is left out and one that says the default are not the same.

/** @param value of a document that its schema has accepted */
export function rawTools(value: unknown): readonly object[] {
  return (value as { readonly tools?: readonly object[] } | undefined)?.tools ?? []
}
