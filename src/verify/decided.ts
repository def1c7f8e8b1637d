// A report → what the audit log keeps of it.
import type { AuditCode, DecidedBundle } from '../model/audit.ts'
import type { CheckedPolicy, Report } from '../model/report.ts'
import type { PolicySource } from '../model/trust.ts'
import { reportSigners } from '../trust/report-signers.ts'

/** @param accepted whether it may be used: a flag may let an unsigned bundle pass */
export function decidedOn(
  report: Report,
  { accepted, sha256 }: { readonly accepted: boolean; readonly sha256: string | undefined },
): DecidedBundle {
  const { target, verdict, reasons, agent, identity, policies } = report
  return {
    target,
    accepted,
    verdict,
    agent,
    policies,
    identity,
    codes: codesOf(reasons),
    sha256: sha256 ?? null,
    signers: reportSigners(report),
  }
}

/** Each code once: a bundle decides how many files are wrong. */
export function codesOf(reasons: readonly { readonly code: AuditCode }[]): AuditCode[] {
  return [...new Set(reasons.map(({ code }) => code))]
}

/** What a report says of a policy that was read. */
export function checkedPolicy({ path, role, digest, channel }: PolicySource): CheckedPolicy {
  return { path, role, digest: digest ?? null, ...(channel && { channel }) }
}
