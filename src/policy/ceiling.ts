// policy.caps → its grants, entry by entry. Ceilings and upgrades judge each by the widest meaning that any known reader gives it
// (docs/spec/judging.md, J-25 to J-31).
import type { Policy } from '../model/policy.ts'
import { quoteText } from '../text/quote.ts'
import type { PolicyGrant } from './families/family.ts'
import { CAPABILITY_FAMILIES, grantedOf } from './families/index.ts'

/** The grants of a policy as capability strings, then the families that this build does not know, in quotes. */
export function grantsOf(policy: Policy): string[] {
  return [...policyGrants(policy).map(({ text }) => text), ...unknownGrants(policy)]
}

/** In quotes, so that no name can look like a capability string. */
export function unknownGrants({ unknown = [] }: Policy): string[] {
  return unknown.map(family => quoteText(family))
}

/** What a policy grants, entry by entry, in the order of the families. Unknown families are left out. */
export function policyGrants(policy: Policy): PolicyGrant[] {
  return CAPABILITY_FAMILIES.flatMap(family => [...family.table.grants(grantedOf(policy, family))])
}
