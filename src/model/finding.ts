// What lint reports about a user's files.
import type { Pointer } from './document.ts'

/** `agentcli` is the family of the rules for another system's file; none of them is in the registry. */
export type RuleFamily =
  | 'json'
  | 'toml'
  | 'manifest'
  | 'tools'
  | 'schema'
  | 'caps'
  | 'secrets'
  | 'wasm'
  | 'files'
  | 'agentcli'

/** `family/name`, the same as its file and its fixture folder. `rlp agent lint --rules` describes it. */
export type RuleId = `${RuleFamily}/${string}`

/** `error` blocks `pack`, `warning` blocks only with `--strict`, `info` never blocks. */
export type Severity = 'error' | 'warning' | 'info'

/**
 * Position of a problem in a file: a value, its key, an offset into the text, or (absent) the file as a
 * whole.
 */
export type Place =
  | { readonly pointer: Pointer; readonly part?: 'key' | 'value' }
  | { readonly offset: number }

/** What a rule yields. The runner adds rule id, severity, line and column. */
export interface Problem {
  /** Path of the file below the agent's folder. */
  readonly file: string
  readonly place?: Place
  /**
   * This build cannot decide the question (a newer schema version): verify answers `indeterminate`, not
   * `invalid`.
   */
  readonly undecidable?: true
  /** What is wrong, one sentence without a full stop. */
  readonly message: string
  /** The edit or command that fixes it. */
  readonly fix: string
  /** What a reader who cannot change the file can do, if there is anything. */
  readonly advice?: string
  /**
   * Present if several tools of a file may have the same problem and the message names one of them. Problems with the same message need
   * no words.
   */
  readonly shared?: SharedWords
}

/** The words for a problem that many tools have: those of a rule with the same words become one finding, which names them. */
export interface SharedWords {
  /** What this one is about, mostly the id of a tool; in quotes. */
  readonly name: string
  /** The sentence about several, without their number in front: `tools have no description`. */
  readonly words: string
  /** The fix of several; left out if it is the same as for one. */
  readonly fix?: string
}

/** A problem with everything that a person or a program needs to act on it. */
export interface Finding {
  readonly rule: RuleId
  readonly severity: Severity
  /** The rule's own severity, present if the caller's `--rule` changed it. */
  readonly defaultSeverity?: Severity
  /** Who decided that this finding does not count, and why. It is still reported. */
  readonly suppressed?: Suppression
  readonly file: string
  /** 1-based. */
  readonly line: number
  /** 1-based, in UTF-16 code units, as editors count. */
  readonly column: number
  /** 1-based, after the last code unit; absent when the finding is about a whole file. */
  readonly endLine?: number
  readonly endColumn?: number
  /** The other places in the file that the finding is about, in their order; absent if it is about one alone. */
  readonly others?: readonly OtherPlace[]
  readonly message: string
  readonly fix: string
  /** As in {@link Problem}. */
  readonly advice?: string
  readonly undecidable?: true
}

/** A place with the same problem as the place of its finding. Lines and columns as there. */
export interface OtherPlace {
  /** What has the problem there, in quotes: the message names only the first ones. */
  readonly name: string
  readonly line: number
  readonly column: number
  readonly endLine?: number
  readonly endColumn?: number
}

export interface Suppression {
  /** `manifest`: the agent's own `[lint]` table; `flag`: the caller's `--rule`. */
  readonly by: 'manifest' | 'flag'
  readonly reason: string
  /** The last day on which it counts, `YYYY-MM-DD` in UTC. */
  readonly until?: string
}
