// Turns a trust policy that cannot be used into one that decides nothing: one that has ended (docs/spec/trust-policy.md, K-6), or whose
// trusted root cannot be relied upon (docs/spec/keyless.md, Y-7). Pure.

import type { KeylessFindings } from '../model/keyless.ts'
import { ownMembers } from '../model/own.ts'
import type { PolicySource } from '../model/trust.ts'

/** A policy whose `valid_until` is past is present and decides nothing, like a malformed one. */
export function asOf(source: PolicySource, now: Date): PolicySource {
  const until = source.policy?.validUntil
  if (until === undefined || now.getTime() <= Date.parse(until)) return source
  const line = source.lineOf(['valid_until'])
  const place = line === undefined ? source.path : `${source.path}:${line}`
  return {
    ...source,
    policy: undefined,
    problems: [`${place}: the policy was valid until ${until}`],
    hint: 'Get the newer policy from the person who keeps it. If that is you, look through it, then set a later valid_until',
  }
}

/** Whether a root is one is found out where it is needed. A policy without authorities decides nothing. */
export function withUsableRoot(source: PolicySource, keyless: KeylessFindings | undefined): PolicySource {
  const { root, policy } = ownMembers(source)
  if (root === undefined || keyless === undefined || !keyless.unusable.includes(root.blake3)) return source
  return {
    ...source,
    policy: undefined,
    problems: [`${source.path}: ${policy?.trustedRoot?.file} is no trusted root`],
    hint: 'Write it anew: cosign and gh write such a file (docs/keyless.md)',
  }
}
