// One entry of an agentcli tools.json before it is validated, and the keys that are read into it.

/** The keys of an entry, as the page spells them. */
export const FIELDS = ['name', 'description', 'schema', 'command', 'timeoutSec', 'envPassthrough'] as const
export type Field = (typeof FIELDS)[number]

/** One entry before it is validated: what is left out has the zero value of its type. */
export interface Entry {
  readonly name: string
  readonly description: string
  /** The JSON text as written, which may be `null`. */
  readonly schema: string | undefined
  readonly command: readonly string[]
  readonly timeoutSec: number
  readonly envPassthrough: readonly string[]
  /** How the document spells the keys whose values these are. */
  readonly spelled: Readonly<Partial<Record<Field, string>>>
}

/** The field of an entry that a key is read as. Unicode's simple case folding, as Go folds: `ſchema` is `schema`. */
export function fieldOf(key: string): Field | undefined {
  return FIELDS.find(field => isSpelling(key, field))
}

/** Whether a key is read as `name`. */
export function isSpelling(key: string, name: string): boolean {
  return key === name || (key.length === name.length && new RegExp(`^${name}$`, 'iu').test(key))
}
