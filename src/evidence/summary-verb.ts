// What the library offers of verification summaries.
import { type PathGiven, targetGiven } from '../io/library/caller.ts'
import { runVerb } from '../io/library/verb.ts'
import type { Report } from '../model/report.ts'
import { NotVerifiedError } from '../verify/not-verified.ts'
import type { Attested } from './attest.ts'
import { attestGiven } from './attesting-given.ts'
import { refuseNoUri } from './build-facts.ts'
import { type StateOptions, verifiedGiven } from './given.ts'
import { type Summary, statedSummary } from './summary.ts'

export interface SummaryOptions extends StateOptions {
  /** Who has checked it: a URI. */
  readonly verifier: string
  /** What was checked, as those know it who will ask: a URI. */
  readonly resource: string
}

export interface StatedSummary {
  /** SLSA verification summary, version 1. */
  readonly summary: Summary
  readonly report: Report
  /** Where it was signed, with `key` or `keyless`. */
  readonly attested: Attested | undefined
}

/**
 * Verifies a bundle, and states that it is trusted. There is no summary of anything else.
 *
 * @example
 * const { summary } = await summarize('dist/mailer-0.1.0.agent.bundle', {
 *   verifier: 'https://ci.example/verifier',
 *   resource: 'https://registry.example/agents/mailer',
 * })
 * console.log(summary)
 *
 * @throws {@link NotVerifiedError} when its verdict is not `trusted`
 * @throws {@link RlpError} as `sbom`
 */
export async function summaryPath(bundle: PathGiven, options: SummaryOptions): Promise<StatedSummary> {
  return runVerb('summarize', options, async (given, io) => {
    const { verifier, resource, time } = given
    refuseNoUri('verifier', verifier)
    refuseNoUri('resource', resource)
    const target = targetGiven(bundle, io, 'attest')
    const { report, trust, about } = await verifiedGiven(target, given, 'attest', io)
    if (report.verdict !== 'trusted') throw new NotVerifiedError(report, 'attest')
    const facts = { verifier, resource, time }
    const summary = statedSummary(report, trust, about.manifest, facts)
    const attested = await attestGiven('summary', about, summary, target, given, io)
    return { summary, report, attested }
  })
}
