// What the library offers of looking into trust policies: what they say, and what they say of a bundle.
import { type CallerOptions, homeGiven, type LongOptions } from '../io/library/caller.ts'
import { runVerb } from '../io/library/verb.ts'
import { type BundleGiven, bundleGiven, judgedWith } from '../verify/bundle-given.ts'
import { homeIn, policyInput } from '../verify/given.ts'
import { judgingGiven, type TrustOptions } from '../verify/trust-given.ts'
import { type ExplainedBundle, explain, explainedFacts } from './explain.ts'
import { type ListedPolicy, listedPolicy } from './listed-policy.ts'
import { policyHandedIn } from './policy-file.ts'
import { readTrustPolicies } from './read-trust.ts'

export interface TrustListOptions extends CallerOptions, Pick<TrustOptions, 'trustPolicy' | 'home'> {}

export interface TrustExplainOptions extends LongOptions, TrustOptions {}

/**
 * The trust policies that apply: the system's, the user's or the one that is given in its place, and those of channels.
 *
 * @example
 * const { policies } = await trustList()
 * for (const { path, policy } of policies) console.log(path, policy?.anchors.map(({ name }) => name))
 *
 * @throws {@link RlpError} `USAGE`, `CANCELLED`; a policy that cannot be used is in the answer, with its problems
 */
export async function trustListPath(
  options: TrustListOptions = {},
): Promise<{ readonly policies: readonly ListedPolicy[] }> {
  return runVerb('trustList', options, async ({ trustPolicy, ...given }, io) => {
    const now = new Date()
    const sources = await readTrustPolicies({
      given: trustPolicy === undefined ? undefined : await policyHandedIn(policyInput(trustPolicy, io.cwd)),
      home: homeIn({ home: given.home ?? homeGiven({}, io) }, io.cwd),
    })
    return { policies: sources.map(source => listedPolicy(source, now)) }
  })
}

/**
 * What each line of each trust policy says about a bundle, and which one decided. It decides nothing itself: {@link verifyBundle} does.
 *
 * @example
 * const { verdict, judgements } = await trustExplain('dist/mailer-0.1.0.agent.bundle', { trustPolicy: 'next.toml' })
 * for (const { lines } of judgements) console.log(verdict, lines)
 *
 * @throws {@link RlpError} `NOT_FOUND`, `USAGE`, `CANCELLED`
 */
export async function trustExplainPath(
  bundle: BundleGiven,
  options: TrustExplainOptions = {},
): Promise<ExplainedBundle> {
  return runVerb('trustExplain', options, async (given, io) => {
    const source = bundleGiven(bundle, io, 'explain')
    const looking = judgingGiven(given, io)
    const { report, ...explained } = await explain(source.target, judgedWith(looking, source))
    return explainedFacts(report, explained)
  })
}
