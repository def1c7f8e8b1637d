// Candidate → a report with one of nine verdicts, and the verified bundle when the verdict allows it. Reads as a table of contents.
// No step catches anything: "could not check" has its own word and is never a kind of "unsigned" (STYLE §5, mistake 1).

import type { Expectation } from './format/reference.ts'
import { type Agent, MANIFEST_FILE } from './model/agent.ts'
import type { Candidate, VerifiedBundle } from './model/bundle.ts'
import type { CheckedOverride, Report } from './model/report.ts'
import type { TrustContext } from './model/trust.ts'
import { VERDICTS, type Verdict } from './model/verdict.ts'
import { read } from './read.ts'
import { checkExpectation } from './verification/expectation.ts'
import { checkFiles } from './verification/files.ts'
import { checkForm } from './verification/form.ts'
import { checkFreshness } from './verification/freshness.ts'
import { checkManifest } from './verification/manifest.ts'
import { checkOverrides } from './verification/overrides.ts'
import { Protocol } from './verification/protocol.ts'
import { checkSchemas } from './verification/schemas.ts'
import { checkSignature } from './verification/signature.ts'
import { checkTrust, demandsSignature } from './verification/trust.ts'

const NO_TRUST: TrustContext = {
  policies: [],
  allowDev: false,
  now: new Date(0),
  marksOf: () => ({ marks: [], wasSigned: false }),
  overridesOf: () => [],
}

export interface VerifyOptions {
  /** Which agent it has to be; `any` is reported as skipped. */
  readonly expect: Expectation | 'any'
  /**
   * Accept a sound bundle without signature. The verdict's word stays `unsigned`. Has no effect where a policy has `[require]`, or
   * where the agent was ever installed signed.
   */
  readonly allowUnsigned?: boolean
  /**
   * Accept a bundle that is older than its high-water mark, never other content under the same version. The verdict's word stays
   * `rolled_back`. For `install`, which records it.
   */
  readonly allowDowngrade?: boolean
  /** What trust depends on; without it nobody is trusted, and a signed bundle is `indeterminate`. */
  readonly trust?: TrustContext
}

export interface Verification {
  readonly report: Report
  /** Present only when the verdict is `trusted`, or one that was allowed by name. */
  readonly bundle?: VerifiedBundle
}

/** Judges a candidate. Pure: what it says is about the bytes that were read, and about nothing else. */
export function verify(candidate: Candidate, options: VerifyOptions): Verification {
  const trust = options.trust ?? NO_TRUST
  const protocol = new Protocol()
  const agent = read(candidate.files, candidate.label, 'bundle')
  let overrides: readonly CheckedOverride[] = []
  let isOnlyOlder = false
  if (checkForm(candidate, agent, protocol)) {
    checkManifest(agent, protocol)
    const signed = checkSignature(agent, protocol)
    checkFiles(agent, protocol)
    checkSchemas(agent, protocol)
    checkExpectation(agent, options.expect, protocol)
    checkTrust(agent, signed, trust, protocol)
    isOnlyOlder = checkFreshness(agent, signed, trust, protocol)
    overrides = checkOverrides(agent, trust, protocol)
  } else protocol.skipRest()
  const waived: Verdict[] = []
  if (options.allowUnsigned === true && !demandsSignature(agent, trust)) waived.push('unsigned')
  if (options.allowDowngrade === true && isOnlyOlder) waived.push('rolled_back')
  const verdict = protocol.verdict(waived)
  const report = { ...reportOf(candidate, agent, protocol, verdict), overrides }
  const isAccepted = verdict === 'trusted' || waived.includes(verdict)
  // The one place where the brand is put on.
  return isAccepted ? { report, bundle: { agent, report } as unknown as VerifiedBundle } : { report }
}

/** Exit code of one verification (DESIGN §3.7): a flag that was allowed to waive something changes the number, never the word. */
export function exitOf({ report, bundle }: Verification): number {
  return bundle === undefined ? VERDICTS[report.verdict].exit : 0
}

function reportOf(
  candidate: Candidate,
  agent: Agent,
  protocol: Protocol,
  verdict: Verdict,
): Omit<Report, 'overrides'> {
  const { name, version, variant, kind } = agent.manifest ?? {}
  // What was read before the form went wrong is nobody's statement.
  const isRead = protocol.checks[0]?.result === 'passed'
  const isNamed = isRead && name !== undefined && version !== undefined && kind !== undefined
  return {
    target: candidate.label,
    verdict,
    form: candidate.form,
    agent: isNamed ? { name, version, ...(variant !== undefined && { variant }), kind } : null,
    manifestDigest: (isRead && candidate.files.get(MANIFEST_FILE)?.digest) || null,
    reasons: protocol.reasonsFor(verdict),
    checks: protocol.checks,
    files: protocol.files,
    signatures: protocol.signatures,
    policies: protocol.policies,
    judgements: protocol.judgements,
    diagnoses: protocol.diagnoses,
    findings: protocol.findings,
    skipped: protocol.skipped,
  }
}
