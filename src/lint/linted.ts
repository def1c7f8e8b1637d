// The result of linting one agent.
import type { Agent } from '../model/agent.ts'
import type { Finding, RuleId } from '../model/finding.ts'

/** The parts of an agent that reports show. */
export type LintedAgent = Pick<Agent, 'label' | 'manifest' | 'documents' | 'unreadable'>

export interface Linted {
  readonly agent: LintedAgent
  readonly findings: readonly Finding[]
}

/** One file with all changes of safe fixes. */
export interface FixedFile {
  readonly path: string
  /** Its current content; undefined if it does not exist. */
  readonly before: Uint8Array | undefined
  /** Its whole new text. */
  readonly text: string
  /** The fixes, for people, in order. */
  readonly what: readonly string[]
}

/** Rules that lint did not ask, because the document that they go by is broken: until it is corrected, they could say what is wrong. */
export interface SkippedRules {
  /** Below the agent's folder; `schemas/` stands for all files in it. */
  readonly file: string
  readonly rules: readonly RuleId[]
}

export interface LintedTarget extends Linted {
  /** As the caller called it. */
  readonly label: string
  /** The agent's folder, absolute. */
  readonly folder: string
  /** The changes of the safe fixes. `agent` and `findings` are as if they were on disk, also where they are only shown. */
  readonly fixes: readonly FixedFile[]
  /** Empty if no document is broken. */
  readonly skipped: readonly SkippedRules[]
}
