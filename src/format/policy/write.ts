// Policy → policy.caps, with the keys in the order of the existing tooling (runloop case `scaffold-defaults`).
import type { Policy } from '../../model/policy.ts'
import { FAMILIES, type Family } from '../capability/capability.ts'
import { doubleQuoted } from '../text/double-quoted.ts'

/** Each family of capabilities is a key of the `[capabilities]` table, written in this order. */
export type PolicyKey = Family

/** The type of a value in `[capabilities]`. */
export type PolicyValue =
  | boolean
  | readonly string[]
  | { readonly hosts: readonly string[]; readonly allow_http: true }

/** The value at a key of `[capabilities]`. */
export function policyValue(policy: Policy, key: PolicyKey): PolicyValue {
  switch (key) {
    case 'fs':
      return policy.fs
    case 'fs_ro':
      return policy.fsRo
    case 'fs_rw':
      return policy.fsRw
    case 'net':
      return policy.net.allowHttp ? { hosts: policy.net.hosts, allow_http: true } : policy.net.hosts
    case 'time':
      return policy.time
    case 'kb_read':
      return listOrSwitch(policy.kbRead)
    case 'kb_write':
      return listOrSwitch(policy.kbWrite)
    case 'secrets':
      return policy.secrets
    case 'model':
      return policy.model
    case 'exec':
      return listOrSwitch(policy.exec)
  }
}

/** The line that grants what the policy grants at a key. */
export function policyLine(policy: Policy, key: PolicyKey): string {
  return `${key} = ${written(policyValue(policy, key))}`
}

/** A whole file. `fs_ro` and `fs_rw` are written only if they grant something: few agents have them. */
export function writePolicy(policy: Policy): string {
  const shown = FAMILIES.filter(
    key => !(key === 'fs_ro' || key === 'fs_rw') || listAt(policy, key).length > 0,
  )
  return `[capabilities]\n${shown.map(key => `${policyLine(policy, key)}\n`).join('')}`
}

/** The keys at which two policies differ. */
export function changedKeys(before: Policy, after: Policy): PolicyKey[] {
  return FAMILIES.filter(key => policyLine(before, key) !== policyLine(after, key))
}

function listAt(policy: Policy, key: 'fs_ro' | 'fs_rw'): readonly string[] {
  return key === 'fs_ro' ? policy.fsRo : policy.fsRw
}

function listOrSwitch(grant: true | readonly string[]): boolean | readonly string[] {
  return grant === true ? true : grant.length > 0 && grant
}

function written(value: PolicyValue): string {
  if (typeof value === 'boolean') return String(value)
  if (isList(value)) return `[${value.map(doubleQuoted).join(', ')}]`
  return `{ hosts = ${written(value.hosts)}, allow_http = true }`
}

function isList(value: PolicyValue): value is readonly string[] {
  return Array.isArray(value)
}
