// Keys of tools.json that begin with x-: what this build writes there beside x-rlp, and what it does not know.

/** Facts of an entry that nobody stated, by their keys: an import could not find them. */
export const INFERRED_KEY = 'x-inferred'
const OURS = ['x-rlp', INFERRED_KEY]

/** What a tool's entry says beside version 1, by key. */
export interface ToolExtensions {
  readonly inferred: readonly string[]
  /** Keys of others, in the order of the entry. */
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
