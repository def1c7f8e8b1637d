// Policy + tools → the smallest policy that also grants what the tools need; the inverse of format/containment.ts.
import { isGranted, notGranted } from '../format/capability/containment.ts'
import { policyOf } from '../format/capability/families/index.ts'
import { grantFor, withGrant } from '../format/capability/grant-need.ts'
import type { Need } from '../format/capability/need.ts'
import type { Policy } from '../model/policy.ts'
import type { Tool } from '../model/tools.ts'

/** A policy that grants nothing. */
export const NO_GRANTS: Policy = policyOf(({ table }) => table.none)

/** A policy that grants more, and the needs that no policy can grant. */
export interface Granted {
  readonly policy: Policy
  readonly impossible: readonly Need[]
}

/** Adds exactly what the tools need and the policy lacks. Lists keep their order; new entries go to the end. */
export function grant(policy: Policy, tools: readonly Tool[]): Granted {
  const impossible: Need[] = []
  let granted = policy
  for (const tool of tools) {
    for (const need of notGranted(tool, granted)) {
      // Another need of the same tool may have added it meanwhile.
      const next = isGranted(need, granted) ? granted : withNeed(granted, need)
      if (next !== undefined && isGranted(need, next)) granted = next
      else impossible.push(need)
    }
  }
  // A later need may have added what no single entry means: a policy that grants `/` grants "some folder".
  return { policy: granted, impossible: impossible.filter(need => !isGranted(need, granted)) }
}

/** Undefined if no entry of a policy means this need. */
function withNeed(policy: Policy, need: Need): Policy | undefined {
  const grant = grantFor(need)
  if (grant === undefined) return undefined
  const sameHosts = { ...policy, net: { ...policy.net, allowHttp: true } }
  if (grant.allowHttp && isGranted(need, sameHosts)) return sameHosts
  return withGrant(policy, grant)
}
