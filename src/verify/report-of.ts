// What the steps found → the report of it.

import { MANIFEST_FILE } from '../model/agent.ts'
import type { Outline } from '../model/bundle.ts'
import type { Report } from '../model/report.ts'
import type { Verdict } from '../model/verdict.ts'
import { bundleIdentity } from '../version/reference.ts'
import { checksForReader, forReader } from './hints.ts'
import type { Protocol } from './protocol.ts'
import { isSourceFolder, PACK_IT } from './source-folder.ts'

/** What a report has of every bundle. */
export function reportOf(
  { label, form, files, agent: { manifest } }: Outline,
  protocol: Protocol,
  verdict: Verdict,
  isPerson = false,
): Omit<Report, 'overrides'> {
  const { name, version, variant, kind } = manifest ?? {}
  const isSource = isSourceFolder({ form, target: label, checks: protocol.checks })
  const reader = { target: label, isPerson, otherwise: isSource ? PACK_IT : undefined }
  // What was read before the form went wrong cannot be relied upon.
  const isRead = protocol.checks[0]?.result === 'passed'
  const isNamed = isRead && name !== undefined && version !== undefined && kind !== undefined
  const digest = (isRead && files.get(MANIFEST_FILE)?.digest) || null
  return {
    target: label,
    verdict,
    form,
    agent: isNamed ? { name, version, ...(variant !== undefined && { variant }), kind } : null,
    identity: digest === null ? null : bundleIdentity(digest),
    reasons: forReader(protocol.reasonsFor(verdict), reader),
    checks: checksForReader(protocol.checks, reader),
    files: protocol.files,
    signatures: protocol.signatures,
    policies: protocol.policies,
    judgements: protocol.judgements,
    diagnoses: protocol.diagnoses,
    findings: protocol.findings,
    skipped: protocol.skipped,
  }
}
