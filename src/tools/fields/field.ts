// The interface of a field of a tool in tools.json: everything that is particular to one, except the questions of the wizard, whose checks
// belong to lint and to scaffold.
import type { ConversionChange, ExportFormat, Fate } from '../../model/conversion.ts'
import type { Tool } from '../../model/tools.ts'

/** The fields of a tool as they are in memory, those of `x-rlp` beside the others. */
export type ToolValues = Omit<Tool, 'rlp'> & Tool['rlp']

/** What becomes of a fact in each export format. A text: it is kept, there. Without a note, the format has its usual words for it. */
export type FateRow = Readonly<Record<ExportFormat, string | Fate | Pick<Fate, 'is'>>>

/** A value that the schema accepts, and that the author hardly means. */
interface OddValue {
  /** The member that is odd, if the field has several. */
  readonly inner?: string
  readonly message: string
  readonly fix: string
}

export interface ToolField<V> {
  /** The keys that lead to it from the tool's entry. */
  readonly at: readonly [key: string, inner?: string]
  /** @param json its value in a document that the schema has accepted; undefined if it is left out */
  read(json: unknown): V
  /** Undefined if there is nothing to say, and the field is left out. */
  write(value: V): unknown
  /** Whether {@link write} leaves out a value that the entry of this tool shall have all the same. */
  isDecided?(tool: Tool): boolean
  /** Options of `rlp tool add` and `rlp tool edit`. */
  readonly flags: Readonly<Record<string, object>>
  /** Turns what was typed after its flag into its value. Left out if the flag answers a question. */
  typed?(given: unknown, refuse: (problem: string) => Error): V
  /** What an edit makes of the old value. Left out: the new value replaces it. */
  edited?(old: V, made: V): V
  /** Where in it a number is that has to be written in digits. */
  readonly digits?: readonly string[]
  odd?(value: V): readonly OddValue[]
  /** Left out if no other system is told of it, or if the transport kind says so. */
  readonly fates?: FateRow
}

/** Formats that describe a tool, and leave it to their host how a call is carried out. */
export const LEFT_TO_THE_HOST = { openai: { is: 'apart' }, mcp: { is: 'apart' } } as const
/** Formats that know only the facts that they need. */
export const UNKNOWN = { openai: { is: 'lost' }, mcp: { is: 'lost' }, agentcli: { is: 'lost' } } as const

/** @param may other outcomes that are possible */
export function keptAs(note: string, ...may: readonly ConversionChange['what'][]): Fate {
  return { is: 'kept', may, note }
}

export function lostBecause(note: string): Fate {
  return { is: 'lost', note }
}

/** In a document as in memory. */
export const AS_IT_IS = {
  read: (json: unknown) => json as never,
  write: (value: unknown) => value,
}

/** A list of words, left out if it is empty. */
export const LIST = {
  read: (json: unknown) => (json ?? []) as readonly string[],
  write: (value: readonly string[]) => (value.length > 0 ? value : undefined),
}

/** Said only if it is true. */
export const SWITCH = {
  read: (json: unknown) => json === true,
  write: (value: boolean) => value || undefined,
}
