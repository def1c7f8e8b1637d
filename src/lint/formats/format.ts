// The interface of a report format of `rlp agent lint`, and its input.
import { join } from 'node:path'
import type { Failed } from '../../cli/each.ts'
import type { Style } from '../../cli/render/style.ts'
import { MANIFEST_FILE } from '../../model/agent.ts'
import type { ExitCode } from '../../model/exit-code.ts'
import type { Finding } from '../../model/finding.ts'
import type { ReportFormat } from '../../report/format.ts'
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

/** Its name is in the registry, which loads it on demand. */
export interface Format extends Omit<ReportFormat<LintReport, View, string | Promise<string>>, 'name'> {
  /** Standard output if the command could not run at all; empty by default. */
  renderFailure?(failed: Failed, exit: ExitCode, view: View): string
}

/** The file of a finding, absolute. A finding about the agent as a whole is placed in its manifest. */
export function fileOf(
  { folder }: Pick<LintedTarget, 'folder'>,
  { file }: { readonly file: string },
): string {
  return join(folder, file === '' ? MANIFEST_FILE : file)
}
