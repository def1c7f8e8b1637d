// Decisions → lines at the end of the audit log, each on the disk before anything follows from it (docs/audit.md).
import { userInfo } from 'node:os'
import type { AuditDecision } from '../model/audit.ts'
import { RlpError } from '../model/error.ts'
import { VERSION } from '../model/rlp-version.ts'
import { isSystemError } from '../model/system-error.ts'
import { auditLineOf } from './audit-line.ts'
import { appendLine } from './write/append-line.ts'

/** The log that a call records its decisions in. */
export class Audit {
  readonly #path: string
  readonly #label: string
  #user: string | undefined

  /** @param path absolute; it is opened for each line */
  constructor(path: string, label: string) {
    this.#path = path
    this.#label = label
  }

  /** @throws RlpError UNRECORDED: then nothing may follow from the decision */
  record(decision: AuditDecision): void {
    this.#user ??= userHere()
    const stamp = { time: new Date(), user: this.#user, program: 'rlp', version: VERSION }
    try {
      appendLine(this.#path, this.#label, auditLineOf(decision, stamp))
    } catch (cause) {
      if (!(cause instanceof RlpError)) throw cause
      const state = cause.message.replace(`Cannot write to "${this.#label}": `, '')
      throw new RlpError('UNRECORDED', `Cannot record the decision: "${this.#label}": ${state}`, {
        cause,
        hint: cause.hint ?? 'Look at the file and its folder, then run the command again',
      })
    }
  }
}

/** The name of this user, or their number if they have none. */
function userHere(): string {
  try {
    return userInfo().username
  } catch (error) {
    if (!isSystemError(error) && (error as NodeJS.ErrnoException).code !== 'ERR_SYSTEM_ERROR') throw error
    return String(process.getuid?.() ?? '')
  }
}
