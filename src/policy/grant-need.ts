// A need → the entry of policy.caps that grants it.
import type { Policy } from '../model/policy.ts'
import { readCapability } from './capability.ts'
import type { Grant } from './families/family.ts'
import { capabilityFamily, grantedOf } from './families/index.ts'
import type { Need } from './need.ts'

/** Undefined if no entry means this need, for example `net` without a host, or a folder that is not absolute. */
export function grantFor(need: Need): Grant | undefined {
  const capability = readCapability(need.capability)
  if ('problem' in capability) return undefined
  const { family, scope } = capability
  const entry = capabilityFamily(family).need.entryFor(scope, need.scheme)
  return entry && { key: family, ...entry }
}

/** The policy with more entries, at the ends of their lists. */
export function withGrants(policy: Policy, grants: readonly Grant[]): Policy {
  let granted = policy
  for (const key of new Set(grants.map(({ key }) => key))) {
    const family = capabilityFamily(key)
    const own = grants.filter(grant => grant.key === key)
    granted = { ...granted, [family.member]: family.need.added(grantedOf(policy, family), own) }
  }
  return granted
}
