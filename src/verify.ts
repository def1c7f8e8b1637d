// A bundle's outline and the circumstances → a report with one of nine verdicts, and the verified bundle when the verdict allows it. Reads as a table of contents.
// No step catches anything: "could not check" has its own word and is never a kind of "unsigned" (STYLE §5, mistake 1).

import type { Expectation } from './format/reference.ts'
import { type Agent, MANIFEST_FILE } from './model/agent.ts'
import type { Outline, VerifiedBundle } from './model/bundle.ts'
import type { CheckedOverride, Report } from './model/report.ts'
import type { TrustContext } from './model/trust.ts'
import { VERDICTS, type Verdict } from './model/verdict.ts'
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
  marks: { marks: [], wasSigned: false },
  overrides: [],
}

/** Everything that a verdict depends on beside the bundle's bytes. */
export interface Circumstances {
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
  /** What was read; undefined where the form is wrong, or nothing could be read: then no content is anybody's statement. */
  readonly agent: Agent | undefined
  /** Present only when the verdict is `trusted`, or one that was allowed by name. */
  readonly bundle?: VerifiedBundle
}

/** Judges a bundle. Pure: what it says follows from the bytes that were read and from the circumstances, and from nothing else. */
export function verify(bundle: Outline, circumstances: Circumstances): Verification {
  const trust = circumstances.trust ?? NO_TRUST
  const protocol = new Protocol()
  const agent = bundle.whole()
  let overrides: readonly CheckedOverride[] = []
  let isOnlyOlder = false
  const isSoundForm = checkForm(bundle, agent, protocol)
  if (isSoundForm) {
    checkManifest(agent, protocol)
    const signed = checkSignature(agent, protocol)
    checkFiles(agent, protocol)
    checkSchemas(agent, protocol)
    checkExpectation(agent, circumstances.expect, protocol)
    checkTrust(agent, signed, trust, protocol)
    isOnlyOlder = checkFreshness(agent, signed, trust, protocol)
    overrides = checkOverrides(trust, protocol)
  } else protocol.skipRest()
  const waived: Verdict[] = []
  if (circumstances.allowUnsigned === true && !demandsSignature(trust)) waived.push('unsigned')
  if (circumstances.allowDowngrade === true && isOnlyOlder) waived.push('rolled_back')
  const verdict = protocol.verdict(waived)
  const report = { ...reportOf(bundle, protocol, verdict), overrides }
  const isAccepted = verdict === 'trusted' || waived.includes(verdict)
  // The one place where the brand is put on.
  const accepted = isAccepted && { bundle: { agent, report } as unknown as VerifiedBundle }
  return { report, agent: isSoundForm ? agent : undefined, ...accepted }
}

/** Exit code of one verification (DESIGN §3.7): a flag that was allowed to waive something changes the number, never the word. */
export function exitOf({ report, bundle }: Verification): number {
  return bundle === undefined ? VERDICTS[report.verdict].exit : 0
}

function reportOf(
  { label, form, files, agent: { manifest } }: Outline,
  protocol: Protocol,
  verdict: Verdict,
): Omit<Report, 'overrides'> {
  const { name, version, variant, kind } = manifest ?? {}
  // What was read before the form went wrong is nobody's statement.
  const isRead = protocol.checks[0]?.result === 'passed'
  const isNamed = isRead && name !== undefined && version !== undefined && kind !== undefined
  return {
    target: label,
    verdict,
    form,
    agent: isNamed ? { name, version, ...(variant !== undefined && { variant }), kind } : null,
    manifestDigest: (isRead && files.get(MANIFEST_FILE)?.digest) || null,
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
