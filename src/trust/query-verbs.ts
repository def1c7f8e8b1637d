// The functions of the library that look into trust policies, and try one before it is in use. They change nothing.
import {
  type CallerOptions,
  homeGiven,
  type LongOptions,
  type PathGiven,
  targetGiven,
} from '../io/library/caller.ts'
import { copyGiven, runVerb } from '../io/library/verb.ts'
import { type BundleGiven, bundleTarget, judgedWith } from '../verify/bundle-input.ts'
import {
  homeIn,
  judgingInput,
  policyInput,
  type TrustOptions,
  type TrustPolicyGiven,
} from '../verify/input.ts'
import { compareSources, type TrustDiffed } from './compare-policies.ts'
import { type ExplainedBundle, explain, explainedFacts } from './explain.ts'
import { type ListedPolicy, listedPolicy } from './listed-policy.ts'
import { policyHandedIn } from './policy-file.ts'
import { askPolicies, type TrustTested } from './question-file.ts'
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
      trustPolicy:
        trustPolicy === undefined ? undefined : await policyHandedIn(policyInput(trustPolicy, io.cwd)),
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
    const source = bundleTarget(bundle, io, 'explain')
    const looking = judgingInput(given, io)
    const { report, ...explained } = await explain(source.target, judgedWith(looking, source))
    return explainedFacts(report, explained)
  })
}

export interface TrustTestOptions extends CallerOptions {
  /** Ask this policy in place of those that the file names. */
  readonly policy?: TrustPolicyGiven
}

/**
 * Asks trust policies the questions of a file, and compares the verdicts. Nothing that is in use on this host is asked.
 *
 * @example
 * const { passed } = await trustTest('tests/policy.toml', { policy: 'next.toml' })
 * if (!passed) throw new Error('the policy decides something else')
 *
 * @throws {@link RlpError} `NOT_FOUND`, `NOT_EDITABLE` for a file that holds no questions, `CANCELLED`
 */
export async function trustTestPath(file: PathGiven, options: TrustTestOptions = {}): Promise<TrustTested> {
  return runVerb('trustTest', options, async (given, io) => {
    // Read before the first wait, so that the caller cannot change it any more.
    const target = targetGiven(file, io, 'read')
    const policy =
      given.policy === undefined ? undefined : await policyHandedIn(policyInput(given.policy, io.cwd))
    return askPolicies(target, policy, io.signal)
  })
}

/**
 * What a trust policy trusts that another does not, and the other way round.
 *
 * @example
 * const { widened } = await trustDiff('trust-policy.toml', 'next.toml')
 * for (const { agents, says } of widened) console.log(agents, says)
 *
 * @throws {@link RlpError} `NOT_FOUND`, `LINT_FAILED` for a policy that decides nothing, `USAGE`, `CANCELLED`
 */
export async function trustDiffPaths(
  before: TrustPolicyGiven,
  after: TrustPolicyGiven,
  options: CallerOptions = {},
): Promise<TrustDiffed> {
  return runVerb('trustDiff', options, async (_, io) => {
    const called = async (policy: TrustPolicyGiven) => {
      const source = await policyHandedIn(policyInput(policy, io.cwd))
      return { source, label: typeof source === 'string' ? String(policy) : source.path }
    }
    // Copied before the first wait, so that the caller cannot change it any more.
    const copied = (policy: TrustPolicyGiven) => copyGiven(policy, 'the trust policy') as TrustPolicyGiven
    const [old, now] = [copied(before), copied(after)] as const
    return compareSources(await called(old), await called(now))
  })
}
