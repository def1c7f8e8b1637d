// The `x-` keys of tools.json: those that this build writes beside x-rlp, and those that it does not know.

/** Facts of an entry that are not stated, by their keys: an import could not find them. */
export const INFERRED_KEY = 'x-inferred'
const OURS = ['x-rlp', INFERRED_KEY]

/** The keys of a tool's entry that are not in version 1. */
interface ToolExtensions {
  readonly inferred: readonly string[]
  /** Unknown keys, in the order of the entry. */
  readonly foreign: readonly string[]
}

/** @param entry of a document that its schema has accepted */
export function extensionsOf(entry: unknown): ToolExtensions {
  if (typeof entry !== 'object' || entry === null) return { inferred: [], foreign: [] }
  const inferred: unknown = Object.hasOwn(entry, INFERRED_KEY) ? Reflect.get(entry, INFERRED_KEY) : []
  return {
    inferred: Array.isArray(inferred) ? inferred.filter(key => typeof key === 'string') : [],
    foreign: Object.keys(entry).filter(key => key.startsWith('x-') && !OURS.includes(key)),
  }
}
