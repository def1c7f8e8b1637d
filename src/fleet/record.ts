// One examination → the record of a bundle in the report of many.

import type { LockSource } from '../model/lock.ts'
import type { Reason, Report } from '../model/report.ts'
import { isOciReference } from '../oci/scheme.ts'
import { grantsOf } from '../policy/ceiling.ts'
import { utcSecond } from '../text/time.ts'
import { reportSigners } from '../trust/report-signers.ts'
import type { Examination } from '../verify/judge-candidate.ts'
import { exitOf } from '../verify/verify.ts'
import { basisOf } from './basis.ts'
import type { FleetOptions, FleetRecord, FleetTask } from './task.ts'

/** Of one bundle; its own report has the rest. */
const MOST_REASONS = 20

export function recordOf(
  { path, label }: FleetTask,
  { expect, trust, verification }: Examination,
  sha256: string | undefined,
  { options, locks }: { readonly options: FleetOptions; readonly locks: readonly LockSource[] },
): FleetRecord {
  const { report, agent } = verification
  const { verdict } = report
  const exit = exitOf(verification)
  // What was undecided may be decided next time, and what a registry has attached to a bundle can change without its bytes.
  const isLasting =
    sha256 !== undefined && verdict !== 'indeterminate' && !isOciReference(path) && !isTooLate(report)
  return {
    type: 'bundle',
    sha256: sha256 ?? null,
    target: label,
    verdict,
    accepted: exit === 0,
    exit,
    reused: false,
    agent: report.agent,
    identity: report.identity,
    form: report.form,
    signers: reportSigners(report),
    anchors: [...new Set(report.judgements.flatMap(({ counted }) => counted))],
    caps: agent?.policy === undefined ? null : grantsOf(agent.policy),
    tools: agent?.tools === undefined ? null : agent.tools.tools.map(({ id }) => id),
    reasons: fewer(report.reasons),
    ...(report.warnings && { warnings: report.warnings }),
    notAfter: verification.notAfter ?? null,
    judged: utcSecond(trust.now),
    basis: isLasting ? basisOf({ sha256, expect, options, locks, trust }) : null,
  }
}

/** It may be met later, as the end comes nearer. */
function isTooLate({ reasons }: Report): boolean {
  return reasons.some(({ code }) => code === 'expires_too_late')
}

function fewer(reasons: readonly Reason[]): readonly Reason[] {
  const left = reasons.length - MOST_REASONS
  if (left <= 0) return reasons
  return [...reasons.slice(0, MOST_REASONS), { code: 'more', message: `… and ${left} more` }]
}
