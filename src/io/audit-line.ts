// A decision, and who made it when → its line in the audit log (docs/audit.md). The members are always in this order.
import type { AuditDecision } from '../model/audit.ts'
import { printableJson } from '../text/printable.ts'

/** Who decided, and when. */
export interface AuditStamp {
  readonly time: Date
  /** A name, or the number of a user without one. */
  readonly user: string
  readonly program: string
  readonly version: string
}

/** One line with its newline. Everything in it that a terminal would obey is escaped. */
export function auditLineOf(decision: AuditDecision, { time, user, program, version }: AuditStamp): string {
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
    agent: agent && {
      name: agent.name,
      version: agent.version,
      ...(agent.variant !== undefined && { variant: agent.variant }),
    },
    identity,
    sha256,
    signers,
    policies,
    ...(root !== undefined && { root }),
    ...(consent !== undefined && { consent }),
    ...(signedBy !== undefined && { signedBy }),
    ...(change !== undefined && { change }),
  }
  return `${printableJson(JSON.stringify(line))}\n`
}
