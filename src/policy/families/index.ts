// The registry of capability families: one file and one line each.
import type { Family, GrantOf, Policy } from '../../model/policy.ts'
import { exec } from './exec.ts'
import type { CapabilityFamily } from './family.ts'
import { fs } from './fs.ts'
import { fsRo } from './fs-ro.ts'
import { fsRw } from './fs-rw.ts'
import { kbRead } from './kb-read.ts'
import { kbWrite } from './kb-write.ts'
import { model } from './model.ts'
import { net } from './net.ts'
import { secrets } from './secrets.ts'
import { time } from './time.ts'

/** In the order in which policies are written (runloop case `scaffold-defaults`). */
const BY_NAME: { readonly [F in Family]: CapabilityFamily<F> } = {
  fs,
  fs_ro: fsRo,
  fs_rw: fsRw,
  net,
  time,
  kb_read: kbRead,
  kb_write: kbWrite,
  secrets,
  model,
  exec,
}

export const CAPABILITY_FAMILIES: readonly CapabilityFamily[] = Object.values(BY_NAME)

export const FAMILIES = Object.keys(BY_NAME) as readonly Family[]

/** What is particular to a family. */
export function capabilityFamily(family: Family): CapabilityFamily {
  return BY_NAME[family]
}

export function isFamily(text: string): text is Family {
  return Object.hasOwn(BY_NAME, text)
}

/** A policy, family by family. */
export function policyOf(granted: (family: CapabilityFamily) => GrantOf<Family>): Policy {
  return Object.fromEntries(
    CAPABILITY_FAMILIES.map(family => [family.member, granted(family)]),
  ) as unknown as Policy
}

/** What a policy grants of a family. */
export function grantedOf(policy: Policy, { member }: Pick<CapabilityFamily, 'member'>): GrantOf<Family> {
  return policy[member]
}
