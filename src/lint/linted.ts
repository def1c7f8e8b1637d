// The results of lint: the findings of each agent, their order, their number, and the exit code.
import type { Agent } from '../model/agent.ts'
import { EXIT, type ExitCode } from '../model/exit-code.ts'
import type { Finding, RuleId } from '../model/finding.ts'
import { plural } from '../text/words.ts'

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

/** Suppressed findings are in none of the first three. */
export interface Tally {
  readonly errors: number
  readonly warnings: number
  readonly infos: number
  readonly suppressed: number
}

/** The caller's limits. */
interface Tolerance {
  readonly strict: boolean
  readonly maxWarnings: number | undefined
}

export function tally(findings: readonly Pick<Finding, 'severity' | 'suppressed'>[]): Tally {
  const counted = findings.filter(({ suppressed }) => suppressed === undefined)
  const count = (wanted: Finding['severity']) => counted.filter(({ severity }) => severity === wanted).length
  return {
    errors: count('error'),
    warnings: count('warning'),
    infos: count('info'),
    suppressed: findings.length - counted.length,
  }
}

/** Whether there are more warnings than the caller allows; `--strict` allows none. */
export function hasTooManyWarnings(
  { warnings }: Pick<Tally, 'warnings'>,
  { strict, maxWarnings }: Tolerance,
): boolean {
  return warnings > (strict ? 0 : (maxWarnings ?? Number.POSITIVE_INFINITY))
}

export function lintExit(counts: Tally, tolerance: Tolerance): ExitCode {
  return counts.errors > 0 || hasTooManyWarnings(counts, tolerance) ? EXIT.bundle : EXIT.ok
}

/** `2 errors, 1 warning, 1 suppressed in 3 agents`, or `3 agents, no findings`. */
export function summary(linted: readonly Linted[]): string {
  const agents = plural(linted.length, 'agent')
  const counted = countedText(tally(linted.flatMap(({ findings }) => findings)))
  return counted === undefined ? `${agents}, no findings` : `${counted} in ${agents}`
}

/** `2 errors, 1 warning, 1 suppressed`; undefined if there are no findings. */
function countedText({ errors, warnings, infos, suppressed }: Tally): string | undefined {
  const counted = [
    errors > 0 ? plural(errors, 'error') : '',
    warnings > 0 ? plural(warnings, 'warning') : '',
    infos > 0 ? `${infos} info` : '',
    suppressed > 0 ? `${suppressed} suppressed` : '',
  ].filter(part => part !== '')
  return counted.length === 0 ? undefined : counted.join(', ')
}
