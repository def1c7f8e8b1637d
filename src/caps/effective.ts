// policy.caps + overrides → what an agent may do on this host, and why a tool may not be used (docs/running.md).
import { INTERFACES_FILE } from '../agent-tool/records.ts'
import { POLICY_FILE } from '../model/agent.ts'
import type { PolicyOverride } from '../model/override.ts'
import type { Policy } from '../model/policy.ts'
import type { Tool } from '../model/tools.ts'
import { denialReason } from '../policy/containment.ts'
import type { DenialReason } from '../policy/families/family.ts'
import type { Need } from '../policy/need.ts'
import { firstOfNeeds, needsOf } from '../policy/needs.ts'
import { tighten } from '../policy/override.ts'
import { type Restrict, type RestrictionReason, restricted, UNRESTRICTED } from './interface-records.ts'

/** An override that could be read. */
export interface SoundOverride {
  readonly label: string
  readonly says: PolicyOverride
}

/** policy.caps as signed, and what remains of it under the overrides. */
export interface EffectivePolicy {
  readonly base: Policy
  /** What remains under all of them. */
  readonly policy: Policy
  /** What remains under each of them alone. */
  readonly alone: readonly { readonly label: string; readonly policy: Policy }[]
}

/** Overrides only ever tighten, in any order. */
export function effectivePolicy(base: Policy, overrides: readonly SoundOverride[] = []): EffectivePolicy {
  return {
    base,
    policy: overrides.reduce((policy, { says }) => tighten(policy, says), base),
    alone: overrides.map(({ label, says }) => ({ label, policy: tighten(base, says) })),
  }
}

/** A capability that a tool needs and does not get. */
export interface Denial {
  readonly need: Need
  readonly reason: DenialReason
  /** What does not grant it: `policy.caps`, or the label of an override; undefined if only the overrides together exclude it. */
  readonly by: string | undefined
}

/**
 * What a tool needs and does not get; an empty list means that it may be exposed. Both sets have to grant a need. An override may add a
 * port to a host without one: some readers take such a host to mean every port, we do not, so the narrower meaning decides.
 */
export function denials(tool: Tool, effective: EffectivePolicy): Denial[] {
  const found: Denial[] = []
  for (const need of needsOf(tool)) {
    const denial = denialOf(need, effective)
    if (denial !== undefined) found.push(denial)
  }
  return found
}

function denialOf(need: Need, { base, policy, alone }: EffectivePolicy): Denial | undefined {
  const missing = denialReason(need, base)
  if (missing !== undefined) return { need, reason: missing, by: POLICY_FILE }
  // Without overrides they are one.
  if (policy === base) return undefined
  const reason = denialReason(need, policy)
  if (reason === undefined) return undefined
  const by = alone.find(one => denialReason(need, one.policy) !== undefined)
  return { need, reason, by: by?.label }
}

/** A tool that is not granted everything it needs, or that a record of interfaces.json withholds. It is never exposed. */
export interface DeniedTool {
  readonly id: string
  /** The first need that is not granted, as a capability string; empty if a record withholds the tool. */
  readonly capability: string
  /** In the words of the existing runtime, or why a record keeps it back. */
  readonly reason: DenialReason | RestrictionReason
  /** What does not grant it: `policy.caps`, `interfaces.json`, or an override; undefined if several together do not. */
  readonly by: string | undefined
}

/** The tools that may be used, in their order and as records restrict them, and those that may not. */
export function exposure(
  tools: readonly Tool[],
  effective: EffectivePolicy,
  restrict: Restrict = UNRESTRICTED,
): { readonly exposed: readonly Tool[]; readonly denied: readonly DeniedTool[] } {
  const exposed: Tool[] = []
  const denied: DeniedTool[] = []
  const denialIn = (need: Need) => denialOf(need, effective)
  for (const tool of tools) {
    const missing = firstOfNeeds(tool, denialIn)
    const restriction = restrict(tool.id)
    const { reason: kept } = restriction
    if (missing === undefined && kept === undefined) exposed.push(restricted(tool, restriction))
    else if (missing === undefined && kept !== undefined)
      denied.push({ id: tool.id, capability: '', reason: kept, by: INTERFACES_FILE })
    else if (missing !== undefined) {
      const { need, reason, by } = missing
      denied.push({ id: tool.id, capability: need.capability, reason, by })
    }
  }
  return { exposed, denied }
}
