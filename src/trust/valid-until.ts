// A trust policy and a moment → the policy, or that it decides nothing any more (docs/spec/trust-policy.md, K-6). Pure.
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
