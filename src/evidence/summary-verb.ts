// What the library offers of verification summaries.
import { type PathGiven, targetGiven } from '../io/library/caller.ts'
import { runVerb } from '../io/library/verb.ts'
import { NotVerifiedError } from '../verify/make-report.ts'
import { refuseNoUri } from './build-facts.ts'
import { type StateOptions, signingGiven, verifiedGiven } from './given.ts'
import { type StatedSummary, stateSummary } from './state-summary.ts'

export interface SummaryOptions extends StateOptions {
  /** Who has checked it: a URI. */
  readonly verifier: string
  /** What was checked, as those know it who will ask: a URI. */
  readonly resource: string
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
    const verified = await verifiedGiven(target, given, 'attest', io)
    if (verified.report.verdict !== 'trusted') throw new NotVerifiedError(verified.report, 'attest')
    return stateSummary(target, verified, { verifier, resource, time }, signingGiven(given, io))
  })
}
