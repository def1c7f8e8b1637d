// A judged bundle → the same, when the audit log has it. One that could not be recorded is not accepted, whatever its verdict is.
import type { Audit } from '../io/audit.ts'
import { RlpError } from '../model/error.ts'
import { EXIT } from '../model/exit-code.ts'
import type { FleetJudged, FleetRecord } from './task.ts'

export class Recorder {
  readonly #audit: Audit
  /** Why the first decision that is not in the log is not in it. */
  lost: RlpError | undefined

  constructor(audit: Audit) {
    this.#audit = audit
  }

  /** Whether it is in the log. */
  isRecorded(decided: FleetJudged['decided']): boolean {
    try {
      this.#audit.record({ ...decided, command: 'agent.verify' })
      return true
    } catch (error) {
      if (!(error instanceof RlpError)) throw error
      this.lost ??= error
      return false
    }
  }

  recorded(judged: FleetJudged): FleetJudged {
    if (this.isRecorded(judged.decided)) return judged
    const record = JSON.parse(judged.line) as FleetRecord
    const exit = judged.exit === EXIT.bug ? EXIT.bug : EXIT.machine
    // A later call must not take the verdict from here, and leave it unrecorded.
    return { ...judged, exit, line: JSON.stringify({ ...record, accepted: false, exit, basis: null }) }
  }
}
