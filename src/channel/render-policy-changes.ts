// Two versions of a policy → what is trusted now that was not, and the other way round, for a person who is about to sign.

import { CHANNEL_POLICY } from '../format/channel/statement.ts'
import { readPolicySource } from '../format/policy/source.ts'
import type { TrustPolicy } from '../model/trust.ts'
import { comparePolicies } from '../trust/compare/compare-policies.ts'
import { comparedLines } from '../trust/render-compared.ts'

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
 * Lines for people, printable.
 * @param before undefined for the first policy
 */
export function changesBetween(before: Uint8Array | undefined, after: Uint8Array): readonly string[] {
  if (before !== undefined && Buffer.compare(before, after) === 0) return ['the policy is the same']
  const is = policyIn(after)
  const was = before === undefined ? TRUSTS_NOTHING : policyIn(before)
  if (is === undefined) return ['no host would take the policy']
  const lines = comparedLines(comparePolicies(was ?? TRUSTS_NOTHING, is))
  return lines.length > 0 ? lines : ['the policy has other text, and decides what it decided']
}

function policyIn(bytes: Uint8Array): TrustPolicy | undefined {
  return readPolicySource(CHANNEL_POLICY, 'channel', bytes).policy
}
