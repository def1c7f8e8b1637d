// What a report format of `rlp agent lint` is given, and what it is.

import type { Failed } from '../../cli/each.ts'
import type { Style } from '../../cli/render/style.ts'
import type { ExitCode } from '../../model/exit-code.ts'
import type { Finding } from '../../model/finding.ts'
import type { LintedTarget } from '../lint-target.ts'
import type { RuleSetting } from '../suppress.ts'

/** Everything that a run of lint found out. */
export interface LintReport {
  readonly linted: readonly LintedTarget[]
  /** Targets that could not be read. */
  readonly failed: readonly Failed[]
  readonly settings: readonly RuleSetting[]
  readonly exit: ExitCode
}

/** Where and for whom it is reported. */
export interface View {
  /** Absolute. */
  readonly cwd: string
  readonly env: Readonly<Record<string, string | undefined>>
  readonly style: Style
  readonly columns: number
  /** Which findings people are shown; formats for programs have all. */
  readonly shows: (finding: Finding) => boolean
}

export interface Format {
  /** As `--format` takes it. */
  readonly name: string
  /** What it writes are commands to the runner of a pipeline. It keeps the text of others out of them. */
  readonly speaks?: 'commands'
  /** All that goes to standard output: printable, and ending in a newline unless empty. */
  render(report: LintReport, view: View): string
  /** What standard output gets when the command could not run at all; nothing without it. */
  renderFailure?(failed: Failed, exit: ExitCode, view: View): string
}
