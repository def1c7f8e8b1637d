// The answer of lint about one target. The command prints what the function returns.

import type { Finding } from '../model/finding.ts'
import { diffLines } from '../text/unified-diff.ts'
import { type LintedTarget, type SkippedRules, type Tally, tally } from './linted.ts'

export interface LintFix {
  /** Below the agent's folder. */
  readonly path: string
  /** What was put right, one text for each fix. */
  readonly what: readonly string[]
  /** A unified diff for people. Credentials are masked in it. */
  readonly diff: string
}

export interface LintResult {
  /** As the caller called it. */
  readonly agent: string
  /** The name in its manifest; undefined if that cannot be read. */
  readonly name: string | undefined
  readonly version: string | undefined
  /** In the order of file, place and rule. Those that are `suppressed` are among them, and do not count. */
  readonly findings: readonly Finding[]
  readonly counts: Tally
  /** The changes of the safe fixes, one entry for each file. */
  readonly fixes: readonly LintFix[]
  /** Rules that were not asked, by the broken document that they go by; empty if no document is broken. */
  readonly skipped: readonly SkippedRules[]
  /** Whether the safe fixes change a file, or would. */
  readonly changed: boolean
}

export function lintResult({ label, agent, findings, fixes, skipped }: LintedTarget): LintResult {
  return {
    agent: label,
    name: agent.manifest?.name,
    version: agent.manifest?.version,
    findings,
    counts: tally(findings),
    fixes: fixes.map(file => ({
      path: file.path,
      what: file.what,
      diff: diffLines(agent.label, file, findings).join('\n'),
    })),
    skipped,
    changed: fixes.length > 0,
  }
}
