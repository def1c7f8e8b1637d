// Candidate → a report with one of nine verdicts, and the verified bundle when the verdict allows it. Reads as a table of contents.
// No step catches anything: "could not check" has its own word and is never a kind of "unsigned" (STYLE §5, mistake 1).

import type { Expectation } from './format/reference.ts'
import { type Agent, MANIFEST_FILE } from './model/agent.ts'
import type { Candidate, VerifiedBundle } from './model/bundle.ts'
import type { Report } from './model/report.ts'
import { VERDICTS, type Verdict } from './model/verdict.ts'
import { read } from './read.ts'
import { checkExpectation } from './verification/expectation.ts'
import { checkFiles } from './verification/files.ts'
import { checkForm } from './verification/form.ts'
import { checkManifest } from './verification/manifest.ts'
import { Protocol } from './verification/protocol.ts'
import { checkSchemas } from './verification/schemas.ts'
import { checkSignature } from './verification/signature.ts'

export interface VerifyOptions {
  /** Which agent it has to be; `any` is reported as skipped. */
  readonly expect: Expectation | 'any'
  /** Accept a sound bundle without signature. The verdict's word stays `unsigned`. */
  readonly allowUnsigned?: boolean
}

export interface Verification {
  readonly report: Report
  /** Present only when the verdict is `trusted`, or `unsigned` and that was allowed. */
  readonly bundle?: VerifiedBundle
}

/** Judges a candidate. Pure: what it says is about the bytes that were read, and about nothing else. */
export function verify(candidate: Candidate, options: VerifyOptions): Verification {
  const protocol = new Protocol()
  const agent = read(candidate.files, candidate.label, 'bundle')
  if (checkForm(candidate, agent, protocol)) {
    checkManifest(agent, protocol)
    checkSignature(agent, protocol)
    checkFiles(agent, protocol)
    checkSchemas(agent, protocol)
    checkExpectation(agent, options.expect, protocol)
    protocol.skip(
      'trust',
      'No signature was checked against a trust policy: who made this bundle is not known',
    )
    protocol.skip('ceiling', 'Nobody’s right to grant what policy.caps asks was checked')
    protocol.skip('freshness', 'Expiry, revocation and roll-back were not checked')
  } else protocol.skipRest()
  const verdict = protocol.verdict(options.allowUnsigned ? 'unsigned' : undefined)
  const report = reportOf(candidate, agent, protocol, verdict)
  const isAccepted = verdict === 'trusted' || (verdict === 'unsigned' && options.allowUnsigned === true)
  // The one place where the brand is put on.
  return isAccepted ? { report, bundle: { agent, report } as unknown as VerifiedBundle } : { report }
}

/** Exit code of one verdict (DESIGN §3.7); `unsigned` passes only where it was allowed by name. */
export function verdictExit(verdict: Verdict, allowUnsigned: boolean): number {
  return verdict === 'unsigned' && allowUnsigned ? 0 : VERDICTS[verdict].exit
}

function reportOf(candidate: Candidate, agent: Agent, protocol: Protocol, verdict: Verdict): Report {
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
    findings: protocol.findings,
    skipped: protocol.skipped,
  }
}
