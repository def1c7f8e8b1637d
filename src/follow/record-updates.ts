// What updates bring → lines of the audit log, each before the update is written. It is written whatever becomes of its line: a full disk must
// not hold back a revocation.
import type { Audit } from '../io/audit.ts'
import { RlpError } from '../model/error.ts'
import { updateDecided } from './decided.ts'
import type { ChannelOutcome } from './update-all.ts'

export class UpdateRecords {
  readonly #audit: Audit | undefined
  #lost: RlpError | undefined

  constructor(audit: Audit | undefined) {
    this.#audit = audit
  }

  /** What is not in the log, and why; undefined if all is. */
  get lost(): RlpError | undefined {
    return this.#lost
  }

  record(outcome: ChannelOutcome): void {
    const decision = updateDecided(outcome)
    if (decision === undefined) return
    try {
      this.#audit?.record(decision)
    } catch (error) {
      if (!(error instanceof RlpError)) throw error
      const message = `${error.message}. What was updated stays`
      this.#lost = new RlpError('UNRECORDED', message, { cause: error, hint: error.hint })
    }
  }
}
