// Who is asked whether a change is noticed.
import type { Mutant } from './operators.ts'

export interface Answer {
  /** What noticed the change; undefined: nothing did. */
  readonly found?: string | undefined
  /** How many test files have run the changed line. */
  readonly asked?: number
}

export interface Judge {
  /** @returns undefined if what came out does not build */
  judged(mutant: Mutant): Promise<Answer | undefined>
}
