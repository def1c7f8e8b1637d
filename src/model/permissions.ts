// What a bundle may do, reduced to what two versions are compared by (docs/upgrades.md#it-may-do-more). Plain
// JSON, because the state keeps it.
import type { Policy } from './policy.ts'
import type { JsonSchema } from './tools.ts'
import type { ActOf, Kind } from './transports/index.ts'

/** An argument that leaves with a call, and what its schema accepts. */
export interface FilledArgument {
  /** As a template writes it, without `input.`; empty for all arguments together: as a body, on standard input or in a file. */
  readonly path: string
  /** A schema of the values that may leave; it never admits fewer than the tool does. */
  readonly schema: JsonSchema
  /** A digest of what else in the input schema restricts the argument; empty if nothing does. */
  readonly beside: string
}

/**
 * In place of {@link FilledArgument.beside} if the input schema cannot be read: it equals nothing, not even
 * itself.
 */
export const NOT_COMPARED = 'not compared'

/** What a model is told of a tool. It decides when the tool is called, and with what. */
export interface ToldOfTool {
  readonly title?: string
  /** Its beginning, for people. */
  readonly description: string
  /** Digest of title and description, whole. */
  readonly words: string
  /** Digest of the schemas, whose words are told too. */
  readonly schemas: string
}

/** What the tools of every kind have in common. */
interface AnyToolPermission {
  readonly id: string
  readonly secrets: readonly string[]
  /** A person is asked before each call. */
  readonly confirm: boolean
  readonly fills: readonly FilledArgument[]
  /** A record withholds the tool, so that no call of it runs. */
  readonly isWithheld?: true
  readonly told: ToldOfTool
}

export type PermissionOf<K extends Kind> = AnyToolPermission & ActOf<K>

export type ToolPermission = PermissionOf<Kind>

export interface Permissions {
  /** policy.caps as signed, before overrides. */
  readonly policy: Policy
  readonly tools: readonly ToolPermission[]
  /** BLAKE3 of the entry, lower-case hex; null if it is not known, which is never the same as another. */
  readonly entry: string | null
}

/** What one call takes of the host. */
export interface Used {
  /** `code`: a shell or an interpreter that is given code as a text. */
  readonly what: 'code' | 'program' | 'host'
  /** The program's path; the target as `https://host:port`. */
  readonly name: string
  /** For counting: `GET`. */
  readonly verb?: string
  /** The command line; method and path. */
  readonly how: string
}

/** In the order in which the changes of one tool are told. */
export const CHANGE_KINDS = [
  'grant',
  'withheld',
  'tool',
  'command',
  'args',
  'stdin',
  'secret',
  'env',
  'confirmation',
  'method',
  'path',
  'header',
  'input',
  'entry',
  'title',
  'description',
  'schema',
] as const

export type ChangeKind = (typeof CHANGE_KINDS)[number]

/** One permission that one bundle has and the other lacks. */
export interface Change {
  readonly kind: ChangeKind
  /** The id of the tool that has it. */
  readonly tool?: string
  /** What it may do; the sentence continues after the agent’s name: `may reach api.mail.example:443`. */
  readonly message: string
}

export interface Widening {
  readonly widened: readonly Change[]
  readonly narrowed: readonly Change[]
  /** What a model is told otherwise of a tool that both have. It needs no consent, and steers the model. */
  readonly described: readonly Change[]
}
