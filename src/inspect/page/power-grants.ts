// Puts the powers of a page together: each grant of policy.caps joins what the tools take of the same thing. Pure.
import type { SoundOverride } from '../../caps/effective.ts'
import { capsTable } from '../../caps/permissions.ts'
import type { Policy } from '../../model/policy.ts'
import { policyGrants } from '../../policy/ceiling.ts'
import { spelledHost } from '../../policy/host.ts'
import type { ToolsOfGrant } from '../../policy/taken.ts'
import { keyOf, type Power, type PowerPlace, type PowerUse } from './power.ts'
import { IN_CLEAR, placeOfGrant } from './power-places.ts'

/** A power that is being put together. */
export interface Growing extends Pick<Power, 'kind' | 'name'> {
  readonly grants: string[]
  readonly uses: PowerUse[]
  readonly hosts: Set<string>
  readonly parts: Set<string>
}

export function at(found: Map<string, Growing>, place: PowerPlace): Growing {
  const key = keyOf(place)
  const power = found.get(key) ?? { ...place, grants: [], uses: [], hosts: new Set(), parts: new Set() }
  found.set(key, power)
  return power
}

export function addGrants(found: Map<string, Growing>, policy: Policy, toolsOf: ToolsOfGrant): void {
  for (const grant of policyGrants(policy)) {
    if (grant.isPlainHttp) {
      for (const host of policy.net.hosts) addPlainHttp(found, spelledHost(host), grant.text)
      continue
    }
    const power = at(found, inFound(found, placeOfGrant(grant)))
    power.grants.push(grant.text)
    for (const id of toolsOf(grant)) power.parts.add(id)
  }
}

/** The place of a grant that is told already: a host that tools reach in clear alone, a program that is given code. */
function inFound(found: ReadonlyMap<string, unknown>, place: PowerPlace): PowerPlace {
  const { kind, name } = place
  const inClear = { kind, name: `${IN_CLEAR}${name}` }
  if (kind === 'host' && !found.has(keyOf(place)) && found.has(keyOf(inClear))) return inClear
  const code = { kind: 'code', name } as const
  return kind === 'program' && found.has(keyOf(code)) ? code : place
}

/** Plain http is granted for each host. Hosts that no tool reaches in clear are told together. */
function addPlainHttp(found: Map<string, Growing>, host: string, text: string): void {
  const used = found.get(keyOf({ kind: 'host', name: `${IN_CLEAR}${host}` }))
  const power = used ?? at(found, { kind: 'host', name: '' })
  if (!power.grants.includes(text)) power.grants.push(text)
  if (used === undefined) power.hosts.add(host)
}

/** Capability strings → what overrides leave of each, if that is less. */
export function leftOf(
  policy: Policy,
  overrides: readonly SoundOverride[],
): ReadonlyMap<string, readonly string[]> {
  if (overrides.length === 0) return new Map()
  const says = overrides.map(override => override.says)
  return new Map(
    capsTable(policy, says, undefined).flatMap(({ key, entry, effective }) => {
      const text = entry === undefined || entry === '*' ? key : `${key}:${entry}`
      if (effective.is === 'nothing') return [[text, []] as const]
      return effective.is === 'some' ? [[text, effective.entries] as const] : []
    }),
  )
}

export function finished(power: Growing, leaves: ReadonlyMap<string, readonly string[]>): Power {
  const { kind, name, grants, uses, hosts } = power
  const users = new Set(uses.map(({ tool }) => tool))
  const parts = [...power.parts].filter(id => !users.has(id))
  const less = grants.flatMap(text => {
    const left = leaves.get(text)
    return left === undefined ? [] : [left]
  })
  // Both the host and plain http have to be left.
  const isLess = name.startsWith(IN_CLEAR)
    ? less.length > 0
    : grants.length > 0 && less.length === grants.length
  const left = less.some(entries => entries.length === 0) && name.startsWith(IN_CLEAR) ? [] : less.flat()
  return {
    kind,
    name,
    grants,
    uses,
    ...(hosts.size > 0 && { hosts: [...hosts] }),
    ...(parts.length > 0 && { parts }),
    ...(isLess && { left: [...new Set(left)] }),
  }
}
