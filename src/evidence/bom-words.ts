// The words of a bill of materials.

/** A fact that CycloneDX has no member for. Names of ours begin with `rlp:`. */
export function bomFact(name: string, value: string): { readonly name: string; readonly value: string } {
  return { name: `rlp:${name}`, value }
}

/** Part of a bill: a component or a service. */
export type BomPart = Readonly<Record<string, unknown>> & { readonly 'bom-ref': string }

/** In the order of code units, each once. */
export function inOrder(texts: Iterable<string>): string[] {
  return [...new Set(texts)].sort()
}
