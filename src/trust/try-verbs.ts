// What the library offers of trying a trust policy before it is in use: questions, and another policy beside it.
import { type CallerOptions, type PathGiven, targetGiven } from '../io/library/caller.ts'
import { copyGiven, runVerb } from '../io/library/verb.ts'
import { policyInput, type TrustPolicyGiven } from '../verify/given.ts'
import { compareGiven, type TrustDiffed } from './compare-given.ts'
import { policyHandedIn } from './policy-file.ts'
import { askPolicies, type TrustTested } from './question-file.ts'

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
      const given = await policyHandedIn(policyInput(policy, io.cwd))
      return { given, label: typeof given === 'string' ? String(policy) : given.path }
    }
    // Copied before the first wait, so that the caller cannot change it any more.
    const copied = (policy: TrustPolicyGiven) => copyGiven(policy, 'the trust policy') as TrustPolicyGiven
    const [old, now] = [copied(before), copied(after)] as const
    return compareGiven(await called(old), await called(now))
  })
}
