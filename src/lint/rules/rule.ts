// The interface of a lint rule: a plain function that looks at one part of an agent and reports problems. The runner in lint/run-rules.ts adds the rest.
import { type Agent, MANIFEST_FILE, TOOLS_FILE } from '../../model/agent.ts'
import type { Finding, Problem, RuleFamily, RuleId, Severity } from '../../model/finding.ts'
import type { Step } from '../../model/report.ts'
import type { Looks, Needs, Prepared, Subjects } from '../subjects.ts'

/** In the order of the flow. */
export const RULE_FAMILIES = [
  'files',
  'json',
  'toml',
  'manifest',
  'caps',
  'tools',
  'schema',
  'secrets',
  'wasm',
] as const satisfies readonly RuleFamily[]

/** Edits a text of TOML. It is handed in, because verification applies rules and edits nothing. */
type EditToml = typeof import('../../toml/edit.ts').editToml

/** A file that a safe fix writes; `text` is the whole new content. */
export interface FileFix {
  readonly path: string
  readonly text: string
  /** The change, for people: `create an empty tools.json`. */
  readonly what: string
}

/** The files that a safe fix may write. policy.caps is not among them, because it holds the agent's permissions. */
export function isFixable(path: string): boolean {
  return path === MANIFEST_FILE || path === TOOLS_FILE || /^schemas\/.+\.json$/.test(path)
}

/** Called for each problem. */
export type ReportProblem = (problem: Problem) => void

/** The kind of part that a rule looks at, and its check. The walk (lint/run-rules.ts) calls the check for each such part of an agent. */
type RuleCheck = {
  readonly [L in Looks]: {
    readonly looks: L
    check(subject: Subjects[L], report: ReportProblem): void
  } & (L extends 'agent' ? { readonly needs: Needs } : { readonly needs?: Needs })
}[Looks]

/** A rule that verification applies too: a bundle that breaks it is `invalid`. */
export type BundleRule = RuleBody &
  RuleCheck & {
    readonly scope: 'bundle'
    /** The step of verification that reports the rule's findings. */
    readonly step: RuleStep | typeof OF_THE_FILE
  }

/** Advice for authors; it never changes a verdict. */
export type SourceRule = RuleBody & RuleCheck & { readonly scope: 'source' }

/** Nothing was prepared: what depends on it finds nothing. */
export const UNPREPARED: Prepared = { secrets: [], ignored: [] }

export type Rule = BundleRule | SourceRule

/** The steps of verification that rules belong to. */
export type RuleStep = Extract<Step, 'archive' | 'manifest' | 'files' | 'schemas'>

/** For rules about the text of any file: the step is the one that reads the file. */
export const OF_THE_FILE = 'of the file'

export function stepFor({ step }: BundleRule, file: string): RuleStep {
  if (step !== OF_THE_FILE) return step
  return file === MANIFEST_FILE ? 'manifest' : 'schemas'
}

interface RuleBody {
  readonly id: RuleId
  readonly severity: Severity
  /** Asked only of a caller who names it: `--rule ID=LEVEL`. */
  readonly isOptIn?: true
  /** One line for tables. */
  readonly summary: string
  /** Why it matters, in a sentence or two. */
  readonly why: string
  /** How to fix it, in general. Every problem names its own fix. */
  readonly fix: string
  /** Reports problems that depend on the findings of all other rules. */
  review?(agent: Agent, seen: Seen, report: ReportProblem): void
  /** Present only if the fix is safe: it never changes what an agent may do. */
  autofix?(agent: Agent, edit: EditToml): readonly FileFix[]
}

/** The input of a review. */
export interface Seen {
  /** Of every rule without a review, including suppressed ones. */
  readonly findings: readonly Finding[]
  /** Every rule there is, also one that was not asked. */
  readonly rules: readonly Pick<Rule, 'id' | 'severity' | 'scope'>[]
  /** Whether a rule was asked about everything that it looks at: if not, that it finds nothing means nothing. */
  seesAll(rule: RuleId): boolean
  /** The day of this run, `YYYY-MM-DD` in UTC; without it nothing counts as expired. */
  readonly today: string | undefined
}
