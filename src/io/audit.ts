// The audit log: one line for each decision, and who made it when. Each line is on the disk before anything follows from the decision
// (docs/audit.md).
import { userInfo } from 'node:os'
import type { AuditDecision } from '../model/audit.ts'
import { RlpError } from '../model/error.ts'
import { VERSION } from '../model/rlp-version.ts'
import { isSystemError } from '../model/system-error.ts'
import { printableJson } from '../text/printable.ts'
import { appendLine } from './write/append-log.ts'

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

/** Who decided, and when. */
interface AuditStamp {
  readonly time: Date
  /** A name, or the number of a user without one. */
  readonly user: string
  readonly program: string
  readonly version: string
}

/** One line with its newline. Everything in it that a terminal would obey is escaped. */
function auditLineOf(decision: AuditDecision, { time, user, program, version }: AuditStamp): string {
  const { command, target, accepted, verdict, codes, agent, identity, sha256, signers, policies } = decision
  const { root, consent, signedBy, change } = decision
  const line = {
    time: time.toISOString(),
    user,
    program,
    version,
    command,
    target,
    accepted,
    verdict,
    codes,
    agent: agent && { name: agent.name, version: agent.version, variant: agent.variant },
    identity,
    sha256,
    signers,
    policies,
    root,
    consent,
    signedBy,
    change,
  }
  return `${printableJson(JSON.stringify(line))}\n`
}
