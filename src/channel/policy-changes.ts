// Two versions of a policy → what is trusted now that was not, and the other way round.
import { CHANNEL_POLICY } from '../channel-file/statement.ts'
import type { TrustPolicy } from '../model/trust.ts'
import { readPolicySource } from '../policy/read-policy.ts'
import { type ComparedPolicies, comparePolicies } from '../trust/compare-policies.ts'

const TRUSTS_NOTHING: TrustPolicy = {
  validUntil: undefined,
  anchors: [],
  groups: [],
  rules: new Map(),
  require: undefined,
  trustedRoot: undefined,
  floors: new Map(),
  revokedKeys: new Map(),
  revokedBundles: new Map(),
}

/**
 * Undefined for a policy that no host would take.
 * @param before undefined for the first policy
 */
export function policyChanges(
  before: Uint8Array | undefined,
  after: Uint8Array,
): ComparedPolicies | undefined {
  const is = policyIn(after)
  const was = before === undefined ? TRUSTS_NOTHING : policyIn(before)
  return is && comparePolicies(was ?? TRUSTS_NOTHING, is)
}

function policyIn(bytes: Uint8Array): TrustPolicy | undefined {
  return readPolicySource(CHANNEL_POLICY, 'channel', bytes).policy
}
