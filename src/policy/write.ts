// Policy → policy.caps, with the keys in the order of the existing tooling (runloop case `scaffold-defaults`).
import type { Family, Policy, PolicyValue } from '../model/policy.ts'
import { listLiteral } from '../toml/write.ts'
import { capabilityFamily, FAMILIES, grantedOf } from './families/index.ts'

/** Each family of capabilities is a key of the `[capabilities]` table, written in this order. */
export type PolicyKey = Family

/** The value at a key of `[capabilities]`. */
export function policyValue(policy: Policy, key: PolicyKey): PolicyValue {
  const family = capabilityFamily(key)
  return family.table.written(grantedOf(policy, family))
}

/** The entries of a list at a key; none of a switch, or of all that the list could name. */
export function policyEntries(policy: Policy, key: PolicyKey): readonly string[] {
  const value = policyValue(policy, key)
  if (typeof value === 'boolean') return []
  return isList(value) ? value : value.hosts
}

/** Whether the policy grants anything at a key. */
export function grantsAny(policy: Policy, key: PolicyKey): boolean {
  const family = capabilityFamily(key)
  return family.table.grants(grantedOf(policy, family)).length > 0
}

/** The line that grants what the policy grants at a key. */
export function policyLine(policy: Policy, key: PolicyKey): string {
  return `${key} = ${written(policyValue(policy, key))}`
}

/** A whole file. What few agents have is written only if it grants something. */
export function writePolicy(policy: Policy): string {
  const shown = FAMILIES.filter(key => !capabilityFamily(key).table.isRare || grantsAny(policy, key))
  return `[capabilities]\n${shown.map(key => `${policyLine(policy, key)}\n`).join('')}`
}

/** The keys at which two policies differ. */
export function changedKeys(before: Policy, after: Policy): PolicyKey[] {
  return FAMILIES.filter(key => policyLine(before, key) !== policyLine(after, key))
}

function written(value: PolicyValue): string {
  if (typeof value === 'boolean') return String(value)
  if (isList(value)) return listLiteral(value)
  return `{ hosts = ${written(value.hosts)}, allow_http = true }`
}

function isList(value: PolicyValue): value is readonly string[] {
  return Array.isArray(value)
}
