// What the library states of a trusted bundle: a verification summary. rlp agent verify does it with --key.
import type { Target } from '../../io/find/search-folders.ts'
import { type PathGiven, targetGiven } from '../../io/library/caller.ts'
import { defineVerb, type Input, needed } from '../../verb/index.ts'
import { NotVerifiedError } from '../../verify/make-report.ts'
import { STATING, SUMMARY_FACTS, signingBy, statingBy } from '../inputs.ts'
import { refuseNoUri } from '../provenance.ts'
import { type StatedSummary, stateSummary } from '../summary.ts'
import { examineFor } from '../verified.ts'

const bundle: Input<PathGiven, Target> = {
  type: 'PathGiven',
  fromGiven: (given, { world }) => targetGiven(given, world, 'attest'),
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
export const verb = defineVerb({
  name: 'summarize',
  summary: 'verify a bundle, and state that it is trusted',
  arguments: ['bundle'],
  inputs: {
    bundle: needed(bundle),
    ...STATING,
    /** Who has checked it: a URI. */
    verifier: needed(SUMMARY_FACTS.verifier),
    /** What was checked, as those know it who will ask: a URI. */
    resource: needed(SUMMARY_FACTS.resource),
  },
  isLong: true,
  async run({ bundle, verifier, resource, ...asked }, world): Promise<StatedSummary> {
    const { sign } = signingBy(asked, world)
    refuseNoUri('verifier', verifier)
    refuseNoUri('resource', resource)
    const examined = await examineFor(bundle, statingBy(asked, world))
    if (examined.is === 'refused') throw examined.unread ?? new NotVerifiedError(examined.report, 'attest')
    const { verified } = examined
    if (verified.report.verdict !== 'trusted') throw new NotVerifiedError(verified.report, 'attest')
    return stateSummary(bundle, verified, { verifier, resource, time: asked.time }, sign)
  },
})
