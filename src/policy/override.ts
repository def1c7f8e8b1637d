// An operator's override of policy.caps. It only ever tightens: its keys are intersected with the policy, and absent keys change nothing. The order of
// overrides never matters. Entries that have no effect are reported, because an override never grants.
import type { PolicyOverride } from '../model/override.ts'
import type { Family, Policy } from '../model/policy.ts'
import { CAPABILITY_FAMILIES, capabilityFamily, isFamily, policyOf } from './families/index.ts'
import { readPolicy } from './read.ts'

/** The document with `[]` for `false` at lists: in an override both revoke (runloop case `secrets-nonarray-revokes`). */
export function overrideValue(value: unknown): unknown {
  const caps = (value as { capabilities?: unknown } | undefined)?.capabilities
  if (typeof caps !== 'object' || caps === null || Array.isArray(caps)) return value
  const revoked = Object.entries(caps).map(([key, said]) => [
    key,
    said === false && isFamily(key) && capabilityFamily(key).table.isListOnly ? [] : said,
  ])
  return { ...(value as object), capabilities: Object.fromEntries(revoked) }
}

/** @param value from `overrideValue`, accepted by `checkShape('policy', …)` */
export function readOverride(value: unknown): PolicyOverride {
  const caps = (value as { capabilities: Readonly<Record<string, unknown>> }).capabilities
  const { net } = caps
  return {
    leaves: readPolicy(value),
    keys: new Set(Object.keys(caps) as Family[]),
    saysHttp: typeof net === 'object' && net !== null && 'allow_http' in net,
  }
}

/** What is left of a policy. */
export function tighten(policy: Policy, override: PolicyOverride): Policy {
  return policyOf(family => family.override.left(policy, override))
}

/** An entry of an override without effect. */
interface Excess {
  /** Its place in the override. */
  readonly key: Family
  /** One sentence without a full stop. */
  readonly message: string
}

export function excessOf(policy: Policy, { leaves }: PolicyOverride): Excess[] {
  const inVain = (isSwitch: boolean) =>
    CAPABILITY_FAMILIES.filter(({ scope }) => (scope === 'none') === isSwitch).flatMap(
      ({ family, override }) => override.inVain(policy, leaves).map(message => ({ key: family, message })),
    )
  return [...inVain(false), ...inVain(true)]
}
