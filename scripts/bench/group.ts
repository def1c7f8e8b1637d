// What one group of rows is, and what it is given to measure with.
import type { Row } from './row.ts'

export interface Context {
  /** Empty, its own, and removed afterwards. */
  readonly folder: string
  /** What was built, as it was at the start: another build may run meanwhile. */
  readonly dist: string
  /** A median is of so many. */
  readonly rounds: number
}

export interface Group {
  /** For `--only`. */
  readonly name: string
  readonly summary: string
  readonly measure: (context: Context) => Promise<readonly Row[]>
}
