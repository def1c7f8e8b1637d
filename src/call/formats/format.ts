// The interface of a report format of `rlp agent test`.
import type { Failed } from '../../cli/each.ts'
import type { Style } from '../../cli/render/style.ts'
import type { ReportFormat } from '../../report/format.ts'
import type { TestedAgent } from '../cases.ts'

export type CaseFormat = ReportFormat<CaseReport, Style>

export interface CaseReport {
  readonly tested: readonly TestedAgent[]
  /** Agents that could not be opened. */
  readonly failed: readonly Failed[]
  /** Only the cases that are not fulfilled, for people. */
  readonly quiet: boolean
}

export function isFulfilled({ problem }: { readonly problem: string | undefined }): boolean {
  return problem === undefined
}
