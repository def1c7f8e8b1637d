// Two versions of a policy → lines for a person who is about to sign the second.
import { comparedLines } from '../trust/render-policy.ts'
import { policyChanges } from './policy-changes.ts'

/**
 * Lines for people, printable.
 * @param before undefined for the first policy
 */
export function changesBetween(before: Uint8Array | undefined, after: Uint8Array): readonly string[] {
  if (before !== undefined && Buffer.compare(before, after) === 0) return ['the policy is the same']
  const changes = policyChanges(before, after)
  if (changes === undefined) return ['no host would take the policy']
  const lines = comparedLines(changes)
  return lines.length > 0 ? lines : ['the policy has other text, and decides what it decided']
}
