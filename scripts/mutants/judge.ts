// Who is asked whether a change is noticed.
import type { Mutant } from './operators.ts'

export interface Answer {
  /** What noticed the change; missing: nothing did. */
  readonly found?: string
}

export interface Judge {
  /** @returns undefined if what came out does not build */
  judged(mutant: Mutant | undefined): Promise<Answer | undefined>
  close(): Promise<void>
}
