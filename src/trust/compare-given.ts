// Two trust policies, each from a file or as a value → what one trusts that the other does not.
import { RlpError } from '../model/error.ts'
import type { PolicySource, TrustPolicy } from '../model/trust.ts'
import { type ComparedPolicies, comparePolicies } from './compare/compare-policies.ts'
import { policyInFile } from './policy-file.ts'

/** A policy that is looked at, and not in use here. */
export interface PolicyLookedAt {
  /** An absolute path, or what was read already. */
  readonly given: string | PolicySource
  /** As it was named. */
  readonly label: string
}

export interface TrustDiffed extends ComparedPolicies {
  /** Whether nothing is trusted that was not. */
  readonly passed: boolean
  /** Whether the two decide alike. */
  readonly isSame: boolean
}

/** @throws RlpError NOT_FOUND, or LINT_FAILED for a policy that decides nothing */
export async function compareGiven(old: PolicyLookedAt, now: PolicyLookedAt): Promise<TrustDiffed> {
  const doing = `compare "${old.label}" with "${now.label}"`
  const [before, after] = await Promise.all([usablePolicy(old, doing), usablePolicy(now, doing)])
  const { widened, narrowed } = comparePolicies(before, after)
  const passed = widened.length === 0
  return { passed, isSame: passed && narrowed.length === 0, widened, narrowed }
}

async function usablePolicy({ given }: PolicyLookedAt, doing: string): Promise<TrustPolicy> {
  const { policy, problems, digest } = typeof given === 'string' ? await policyInFile(given) : given
  if (policy !== undefined) return policy
  const isThere = typeof given !== 'string' || digest !== undefined
  throw new RlpError(isThere ? 'LINT_FAILED' : 'NOT_FOUND', `Cannot ${doing}: ${problems[0]}`, {
    hint: isThere ? 'Correct the line; docs/trust.md explains the file' : 'Check the path',
  })
}
