// What became of an install → what the audit log keeps of it.
import type { AuditCode, AuditDecision } from '../model/audit.ts'
import { codesOf, decidedOn } from '../verify/decided.ts'
import type { InstallOutcome } from './install-call.ts'

/** @param how `root`: absolute; `lockConsents`: whether a lock was the consent */
export function installDecided(
  outcome: InstallOutcome,
  sha256: string | undefined,
  { root, lockConsents }: { readonly root: string; readonly lockConsents: boolean },
): AuditDecision {
  const isRefused = outcome.is === 'decided' && outcome.decision.is === 'refused'
  const accepted = outcome.is === 'decided' && !isRefused
  const bundle = decidedOn(outcome.report, { accepted, sha256 })
  const against = codesOf(againstIn(outcome).map(code => ({ code })))
  const codes = [...new Set([...bundle.codes, ...against])]
  const consent = accepted && lockConsents ? consentIn(outcome) : undefined
  return { ...bundle, command: 'agent.install', codes, root, ...(consent && { consent }) }
}

/** What a lock consented to; of what was installed before, what is more. */
function consentIn(outcome: InstallOutcome): AuditDecision['consent'] {
  const { lock } = outcome.report
  if (lock === undefined || outcome.is !== 'decided' || outcome.decision.is !== 'install') return undefined
  const widened = outcome.decision.changes.widened.map(({ message }) => message)
  return { lock: lock.path, digest: lock.digest, widened }
}

/** Beside what the report says. */
function againstIn(outcome: InstallOutcome): AuditCode[] {
  if (outcome.is === 'not-begun') return ['not_confirmed']
  if (outcome.is === 'not-verified' || outcome.decision.is !== 'refused') return []
  return outcome.decision.refusals.map(({ reason }) => reason)
}
