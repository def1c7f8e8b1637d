// The interface of a format of `rlp lock check`, and its input.
import type { Style } from '../../cli/render/style.ts'
import type { ExitCode } from '../../model/exit-code.ts'
import type { ReportFormat } from '../../report/format.ts'
import type { LockChecked } from '../check.ts'

export interface LockReport {
  readonly checked: LockChecked
  /** Where the lock is, absolute. */
  readonly path: string
  readonly exit: ExitCode
}

export interface LockView {
  readonly cwd: string
  readonly env: Readonly<Record<string, string | undefined>>
  readonly style: Style
  /** Leave out what is the same. */
  readonly quiet: boolean
}

export type LockFormat = ReportFormat<LockReport, LockView>
