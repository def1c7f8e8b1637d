// One entry of an agentcli tools.json before validation, and the keys that are read into it.

/** The keys of an entry, in agentcli's spelling. */
export const AGENTCLI_FIELDS = [
  'name',
  'description',
  'schema',
  'command',
  'timeoutSec',
  'envPassthrough',
] as const

export type AgentcliField = (typeof AGENTCLI_FIELDS)[number]

/** One entry before validation: an absent member has the zero value of its type. */
export interface AgentcliEntry {
  readonly name: string
  readonly description: string
  /** The JSON text as written, which may be `null`. */
  readonly schema: string | undefined
  readonly command: readonly string[]
  readonly timeoutSec: number
  readonly envPassthrough: readonly string[]
  /** The document's spelling of the keys. */
  readonly spelled: Readonly<Partial<Record<AgentcliField, string>>>
}

/** The field that a key is read as. Unicode's simple case folding, as in Go: `ſchema` is `schema`. */
export function agentcliFieldOf(key: string): AgentcliField | undefined {
  return AGENTCLI_FIELDS.find(field => isSpelling(key, field))
}

/** Whether a key is read as `name`. */
export function isSpelling(key: string, name: string): boolean {
  return key === name || (key.length === name.length && new RegExp(`^${name}$`, 'iu').test(key))
}
