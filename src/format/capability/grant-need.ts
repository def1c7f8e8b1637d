// A need → the entry of policy.caps that grants it.
import type { Policy } from '../../model/policy.ts'
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

/** The policy with one more entry, at the end of its list. */
export function withGrant(policy: Policy, grant: Grant): Policy {
  const family = capabilityFamily(grant.key)
  return { ...policy, [family.member]: family.need.added(grantedOf(policy, family), grant) }
}
