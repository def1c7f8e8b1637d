// The interface of a report format of `rlp agent lint`, and its input.
import type { Failed } from '../../cli/each.ts'
import type { Style } from '../../cli/render/style.ts'
import type { ExitCode } from '../../model/exit-code.ts'
import type { Finding } from '../../model/finding.ts'
import type { LintedTarget } from '../linted.ts'
import type { RuleSetting } from '../suppress.ts'

/** The name of the command in envelopes. */
export const TOOL = 'agent.lint'

/** The results of one run of lint. */
export interface LintReport {
  readonly linted: readonly LintedTarget[]
  /** Whether the fixes are only shown. */
  readonly isDryRun: boolean
  /** Targets that could not be read. */
  readonly failed: readonly Failed[]
  readonly settings: readonly RuleSetting[]
  readonly exit: ExitCode
  /** Whether a finding makes the command fail. */
  readonly fails: (finding: Finding) => boolean
}

/** The place and the reader of the report. */
export interface View {
  /** Absolute. */
  readonly cwd: string
  readonly env: Readonly<Record<string, string | undefined>>
  readonly style: Style
  readonly columns: number
  /** Columns of the terminal that shows it; undefined without one. */
  readonly screen: number | undefined
  /** The findings that people are shown; formats for programs have all. */
  readonly shows: (finding: Finding) => boolean
}

export interface Format {
  /** Its output is read as commands by the runner of a pipeline, so it must keep strangers' text out of them. */
  readonly speaks?: 'commands'
  /** Everything for standard output: printable, and ending in a newline unless empty. */
  render(report: LintReport, view: View): string | Promise<string>
  /** Standard output if the command could not run at all; empty by default. */
  renderFailure?(failed: Failed, exit: ExitCode, view: View): string
}
