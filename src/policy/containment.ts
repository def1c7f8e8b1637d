// Tools ⊆ policy: whether a policy grants what a tool needs, each grant read in its narrowest meaning. Pure, and monotone: more grants
// never grant less.
import type { Family, Policy } from '../model/policy.ts'
import type { Tool } from '../model/tools.ts'
import { readCapability } from './capability.ts'
import type { CapabilityFamily, DenialReason } from './families/family.ts'
import { capabilityFamily } from './families/index.ts'
import type { Need } from './need.ts'
import { needsOf } from './needs.ts'

/** The needs of a tool that a policy does not grant; none if the tool may be exposed. */
export function notGranted(tool: Tool, policy: Policy): Need[] {
  return needsOf(tool).filter(need => !isGranted(need, policy))
}

/** Whether a policy grants a need. A capability that cannot be read is never granted. */
export function isGranted(need: Need, policy: Policy): boolean {
  return denialReason(need, policy) === undefined
}

/** Undefined if the policy grants the need. */
export function denialReason(need: Need, policy: Policy): DenialReason | undefined {
  const capability = readCapability(need.capability)
  if ('problem' in capability) return 'cap_missing'
  const { family, scope } = capability
  return judgesOf(policy)(family)(scope, need.scheme)
}

type Judge = ReturnType<CapabilityFamily['need']['denial']>

/** Safe as a cache, because a policy never changes after it was read. A hostile one has a million entries, and as many tools ask. */
const known = new WeakMap<Policy, Map<Family, Judge>>()

function judgesOf(policy: Policy): (family: Family) => Judge {
  const judges = known.get(policy) ?? new Map<Family, Judge>()
  known.set(policy, judges)
  return family => {
    const judge = judges.get(family) ?? capabilityFamily(family).need.denial(policy)
    judges.set(family, judge)
    return judge
  }
}
