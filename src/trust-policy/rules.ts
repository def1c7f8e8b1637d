// The table [rules] of a trust policy: what each anchor and group may grant (docs/spec/trust-policy.md, K-22 to K-28, K-30 to K-32).

import { patternKey } from '../agent/agent-pattern.ts'
import type { Anchor, Group } from '../model/anchor.ts'
import type { Pointer } from '../model/document.ts'
import type { Rules } from '../model/trust.ts'
import type { TableReader } from '../toml/closed-table.ts'
import { readRule } from './rule-fields/index.ts'

interface Named {
  readonly byName: ReadonlyMap<string, Anchor>
  readonly groups: readonly Group[]
  readonly signing: ReadonlySet<string>
}

export function readAllRules(
  reader: TableReader,
  value: unknown,
  { byName, groups, signing }: Named,
): ReadonlyMap<string, Rules> {
  const known = new Set([...byName.keys(), ...groups.map(({ name }) => name)])
  const rules = new Map<string, Rules>()
  for (const [name, one] of Object.entries(reader.table(value, ['rules']))) {
    const at = ['rules', name]
    if (!known.has(name)) reader.wrong(at, `${name.slice(0, 60)} is no anchor`, 'key')
    else if (!signing.has(name)) reader.wrong(at, `${name} only attests, so it grants nothing`, 'key')
    rules.set(name, readRules(reader, one, at))
  }
  return rules
}

/** In a list the agents decide which rule applies, so that it is always exactly one. */
function readRules(reader: TableReader, value: unknown, at: Pointer): Rules {
  if (!Array.isArray(value)) return readRule(reader, value, at)
  if (value.length === 0) reader.wrong(at, 'a list of rules is not empty')
  const seen = new Map<string, string>()
  return value.map((one: unknown, index) => {
    const rule = readRule(reader, one, [...at, index])
    if (rule.agents === undefined)
      reader.wrong([...at, index], 'in a list each rule names its agents: agents = ["…"]')
    const own = new Map((rule.agents ?? []).map(agent => [patternKey(agent), agent]))
    for (const [key, agent] of own) {
      const other = seen.get(key)
      if (other !== undefined)
        reader.wrong(
          [...at, index, 'agents'],
          `${agent} is in another rule of the list already${other === agent ? '' : `, as ${other}`}`,
        )
      seen.set(key, agent)
    }
    return rule
  })
}
