// What became of an install → what the audit log keeps of it.
import type { AuditCode, AuditDecision } from '../model/audit.ts'
import { codesOf, decidedOn } from '../verify/decided.ts'
import type { InstallOutcome } from './install-call.ts'

/** @param root absolute */
export function installDecided(
  outcome: InstallOutcome,
  sha256: string | undefined,
  root: string,
): AuditDecision {
  const isRefused = outcome.is === 'decided' && outcome.decision.is === 'refused'
  const accepted = outcome.is === 'decided' && !isRefused
  const bundle = decidedOn(outcome.report, { accepted, sha256 })
  const against = codesOf(againstIn(outcome).map(code => ({ code })))
  return { ...bundle, command: 'agent.install', codes: [...new Set([...bundle.codes, ...against])], root }
}

/** Beside what the report says. */
function againstIn(outcome: InstallOutcome): AuditCode[] {
  if (outcome.is === 'not-begun') return ['not_confirmed']
  if (outcome.is === 'not-verified' || outcome.decision.is !== 'refused') return []
  return outcome.decision.refusals.map(({ reason }) => reason)
}
