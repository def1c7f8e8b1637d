// A capability, or a policy → what its author means: of a program that is a whole line the first word, and of a folder its plain path.

import type { Policy, PolicyValue } from '../model/policy.ts'
import type { CapabilityFamily } from './families/family.ts'
import { capabilityFamily, grantedOf, isFamily, policyOf } from './families/index.ts'
import { entryProblem } from './grant-entry.ts'

/** Of a line the program is needed, and of a folder its plain path. */
export function meantCapability(capability: string): string {
  const [, family = '', scope = ''] = /^([^:]+):(.+)$/s.exec(capability) ?? []
  return isFamily(family) ? `${family}:${capabilityFamily(family).entries.plain(scope)}` : capability
}

/** The policy as it is when what `caps/plain-path` and `caps/entry` say was done: an entry that grants nothing is left out. */
export function meantPolicy(policy: Policy): Policy {
  return {
    ...policy,
    ...policyOf(family =>
      family.table.read(meantValue(family, family.table.written(grantedOf(policy, family)))),
    ),
  }
}

function meantValue(family: CapabilityFamily, value: PolicyValue): PolicyValue {
  if (typeof value === 'boolean') return value
  if ('hosts' in value) return { ...value, hosts: grantingEntries(family, value.hosts) }
  return grantingEntries(family, value)
}

function grantingEntries({ family, entries }: CapabilityFamily, list: readonly string[]): string[] {
  const meant = list.map(entries.plain).flatMap(entry => {
    const problem = entryProblem(family, entry)
    return problem === undefined ? entry : (problem.meant ?? [])
  })
  return [...new Set(meant)]
}
