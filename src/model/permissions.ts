// What a bundle may do, reduced to what an upgrade is compared by (DESIGN §4, "widened"). Plain JSON: the state keeps it.
import type { Policy } from './policy.ts'

/** A tool that starts a program. */
export interface ExecPermission {
  readonly id: string
  readonly kind: 'exec'
  readonly command: string
  readonly args: readonly string[]
  readonly stdin: boolean
  /** Names of environment variables that it gets from the host. */
  readonly env: readonly string[]
  readonly secrets: readonly string[]
  /** A person is asked before each call. */
  readonly confirm: boolean
}

/** A tool that makes a request. */
export interface HttpPermission {
  readonly id: string
  readonly kind: 'http'
  /** In capitals. */
  readonly method: string
  /** `https://host:port`, normalised. */
  readonly target: string
  readonly secrets: readonly string[]
  readonly confirm: boolean
}

export type ToolPermission = ExecPermission | HttpPermission

export interface Permissions {
  /** policy.caps as signed, before overrides. */
  readonly policy: Policy
  readonly tools: readonly ToolPermission[]
  /** BLAKE3 of the entry, lower-case hex. */
  readonly entry: string
}

export type ChangeKind =
  | 'grant'
  | 'exec-tool'
  | 'command'
  | 'args'
  | 'stdin'
  | 'secret'
  | 'env'
  | 'confirmation'
  | 'method'
  | 'entry'

/** One thing that a bundle may do and another may not. */
export interface Change {
  readonly kind: ChangeKind
  /** The id of the tool that it is about. */
  readonly tool?: string
  /** What it may do, in words that go on from the agent’s name: `may reach api.mail.example:443`. */
  readonly message: string
}

export interface Widening {
  readonly widened: readonly Change[]
  readonly narrowed: readonly Change[]
}
