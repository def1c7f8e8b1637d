// The lists of policy.caps, each with its key, and each entry with its index: an entry that grants nothing is left out. Made once, for all rules.

import { type Agent, POLICY_FILE } from '../../model/agent.ts'
import type { Pointer } from '../../model/document.ts'
import { isTable, own } from '../../model/own.ts'
import type { CapabilityFamily } from '../../policy/families/family.ts'
import { CAPABILITY_FAMILIES } from '../../policy/families/index.ts'
import type { PolicyKey } from '../../policy/write.ts'
import { once } from './once.ts'

export interface PolicyList {
  readonly key: PolicyKey
  /** Index in the file → what is granted. Empty if the value is `true`. */
  readonly entries: ReadonlyMap<number, string>
  /** The same entries and those left out, as they are written. */
  readonly written: readonly string[]
  readonly at: Pointer
}

/** Empty if policy.caps could not be read. */
export const policyLists: (agent: Agent) => readonly PolicyList[] = once(readLists)

function readLists({ policy, documents }: Agent): PolicyList[] {
  const document = documents.get(POLICY_FILE)
  if (policy === undefined || document === undefined) return []
  const { capabilities } = document.value as { capabilities: Readonly<Record<string, unknown>> }
  return CAPABILITY_FAMILIES.filter(({ scope }) => scope !== 'none').map(family =>
    listAt(family, capabilities),
  )
}

function listAt(
  { family: key, entries }: CapabilityFamily,
  capabilities: Readonly<Record<string, unknown>>,
): PolicyList {
  const value = own(capabilities, key)
  const isInTable = isTable(value)
  const list = isInTable ? value['hosts'] : value
  const written = Array.isArray(list) ? (list as readonly string[]) : []
  const granted = written.map((entry, index) => [index, entries.granted(entry)] as const)
  return {
    key,
    entries: new Map(granted.flatMap(([index, entry]) => (entry === undefined ? [] : [[index, entry]]))),
    written,
    at: ['capabilities', key, ...(isInTable ? ['hosts'] : [])],
  }
}
