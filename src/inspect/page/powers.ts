// The powers of a bundle, the most dangerous first: each program, host, secret and folder once, with the tools that have it. They are
// made of the same facts as the rows of rlp caps show. Pure.
import { denials, effectivePolicy, type SoundOverride } from '../../caps/effective.ts'
import { type Restrict, restricted, restrictionsIn, UNRESTRICTED } from '../../caps/interface-records.ts'
import type { Agent } from '../../model/agent.ts'
import type { Policy } from '../../model/policy.ts'
import type { Tool } from '../../model/tools.ts'
import { toolsByGrant } from '../../policy/taken.ts'
import { POWER_KINDS, type Power, type PowerKind } from './power.ts'
import { addGrants, at, finished, type Growing, leftOf } from './power-grants.ts'
import { grantedHosts, usesOf } from './power-places.ts'

const RANKS = Object.fromEntries(POWER_KINDS.map((kind, rank) => [kind, rank])) as Record<PowerKind, number>

/** A policy, and the tools that it is for. */
interface Given {
  readonly policy: Policy
  readonly tools: readonly Tool[]
  readonly restrict?: Restrict
  readonly overrides?: readonly SoundOverride[]
}

/** @param overrides those of this host; none if one of them cannot be used, because it is unknown what is left then */
export function powersIn(agent: Agent, overrides: readonly SoundOverride[] = []): Power[] | undefined {
  const { policy, tools, documents } = agent
  if (policy === undefined || tools === undefined) return undefined
  const restrict = restrictionsIn(path => documents.get(path)?.value)
  return powersOf({ policy, tools: tools.tools, restrict, overrides })
}

export function powersOf({ policy, tools, restrict = UNRESTRICTED, overrides = [] }: Given): Power[] {
  const found = new Map<string, Growing>()
  for (const family of policy.unknown ?? []) at(found, { kind: 'unknown', name: family }).grants.push(family)
  const effective = effectivePolicy(policy, overrides)
  const hosts = grantedHosts(policy)
  const exposed: Tool[] = []
  // A tool that a record withholds does nothing; the section of the tools says why.
  for (const tool of tools.filter(({ id }) => restrict(id).reason === undefined)) {
    const isDenied = denials(tool, effective).length > 0
    if (!isDenied) exposed.push(tool)
    for (const one of usesOf(restricted(tool, restrict(tool.id)), hosts))
      at(found, one.at).uses.push({ ...one.use, ...(isDenied && { isDenied }) })
  }
  addGrants(found, policy, toolsByGrant(policy, exposed))
  const left = leftOf(policy, overrides)
  return [...found.values()]
    .map(power => finished(power, left))
    .sort(
      (a, b) => RANKS[a.kind] - RANKS[b.kind] || b.uses.length - a.uses.length || (a.name < b.name ? -1 : 1),
    )
}
