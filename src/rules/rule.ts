// What a lint rule is. A rule is a pure function from an agent to problems; the runner in lint.ts adds the rest.
import { type Agent, MANIFEST_FILE, TOOLS_FILE } from '../model/agent.ts'
import type { Finding, Problem, Severity } from '../model/finding.ts'

/** A file that a safe fix writes; `text` is the whole new content. */
export interface FileFix {
  readonly path: string
  readonly text: string
  /** What it does, for people: `create an empty tools.json`. */
  readonly what: string
}

/** The files that a safe fix may write. What an agent may do stands in policy.caps, and nobody was asked about that. */
export function isFixable(path: string): boolean {
  return path === MANIFEST_FILE || path === TOOLS_FILE || /^schemas\/.+\.json$/.test(path)
}

export interface Rule {
  /** `family/name`, the same as its file, its fixture folder and its section in docs/rules.md. */
  readonly id: `${Family}/${string}`
  readonly severity: Severity
  /**
   * `bundle`: verify applies the rule too, and a bundle that breaks it is `invalid`. `source`: advice for authors.
   */
  readonly scope: 'bundle' | 'source'
  /** One line for tables. */
  readonly summary: string
  /** Why it matters, in a sentence or two. */
  readonly why: string
  /** How to put it right, in general. Every problem names its own fix. */
  readonly fix: string
  check(agent: Agent): Iterable<Problem>
  /** Problems that show only when the findings of all other rules are known. */
  review?(agent: Agent, seen: Seen): Iterable<Problem>
  /** Present only when the fix is safe: it never changes what an agent may do. */
  autofix?(agent: Agent): Iterable<FileFix>
}

/** What a review is given. */
export interface Seen {
  /** Of every rule without a review, before anything is suppressed. */
  readonly findings: readonly Finding[]
  /** The rules that lint runs with. */
  readonly rules: readonly Pick<Rule, 'id' | 'severity' | 'scope'>[]
  /** The day of this run, `YYYY-MM-DD` in UTC; without it nothing is taken for expired. */
  readonly today: string | undefined
}

/** `agentcli` is the family of the rules for another system's file; none of them is in the registry. */
export type Family =
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
