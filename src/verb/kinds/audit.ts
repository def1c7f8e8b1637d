// --audit: where a command records its decisions. A program has what was decided, and records it itself.
import { AUDIT_OPTION, auditIn } from '../../cli/options.ts'
import type { Audit } from '../../io/audit.ts'
import type { AuditDecision } from '../../model/audit.ts'
import type { At, Input } from '../input.ts'

export const audit: Input<never, Audit | undefined> = {
  typed: AUDIT_OPTION.audit,
  fromTyped: (audit: string, { world }: At) => auditIn({ audit }, world),
}

/** What a job tells its decisions; undefined if nothing is recorded. */
export function recorder(audit: Audit | undefined): ((decision: AuditDecision) => void) | undefined {
  return audit && (decision => audit.record(decision))
}
