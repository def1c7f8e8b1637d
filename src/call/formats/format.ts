// The interface of a report format of `rlp agent test`.
import type { Failed } from '../../cli/each.ts'
import type { Style } from '../../cli/render/style.ts'
import type { TestedAgent } from '../run-cases.ts'

export interface CaseFormat {
  /** The value of `--format`. */
  readonly name: string
  /** Everything for standard output, ending in a newline unless empty. */
  render(report: CaseReport, style: Style): string
}

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
