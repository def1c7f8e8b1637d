// One anchor’s rule and a bundle → whether this anchor alone may grant what policy.caps asks for (docs/trust.md). Pure.
import { beyond } from '../format/capability/ceiling.ts'
import { withReadableHosts } from '../format/capability/readable-host.ts'
import { referenceText } from '../format/reference.ts'
import type { Pointer } from '../model/document.ts'
import type { Policy } from '../model/policy.ts'
import type { Ceiling, TrustPolicy } from '../model/trust.ts'

export interface RuleAnswer {
  readonly anchor: string
  readonly at: Pointer
  /** Why not, if it says no. */
  readonly code: 'no_rule' | 'rule_for_other_agents' | 'beyond_ceiling'
  /** `neutral`: there is no rule, so the anchor can approve but grants nothing. */
  readonly says: 'for' | 'against' | 'neutral'
  /** One sentence without a full stop. */
  readonly detail: string
  /** Grants that the rule does not allow. */
  readonly beyond: readonly string[]
}

/** The grants that a bundle asks for, and its agent. */
export interface Asked {
  readonly agent: { readonly name: string; readonly variant?: string }
  /** policy.caps as signed, before overrides. */
  readonly caps: Policy
}

export function ruleAnswer(policy: TrustPolicy, anchor: string, { agent, caps }: Asked): RuleAnswer {
  const rule = policy.rules.get(anchor)
  if (rule === undefined) {
    const detail = `${anchor} has no rule, so it may not grant anything`
    return { anchor, at: ['anchors', anchor], code: 'no_rule', says: 'neutral', detail, beyond: [] }
  }
  const at = ['rules', anchor]
  const reference = referenceText(agent)
  // A variant is another agent: a rule for `name` does not cover `name@variant`.
  if (rule.agents !== undefined && !rule.agents.includes(reference)) {
    const detail = `${anchor} may not grant anything to ${reference}`
    const code = 'rule_for_other_agents'
    return { anchor, at: [...at, 'agents'], code, says: 'against', detail, beyond: [] }
  }
  const over = beyond(caps, rule)
  const [first] = over
  if (first === undefined) {
    const detail = `${anchor} may grant what policy.caps asks`
    return { anchor, at, code: 'beyond_ceiling', says: 'for', detail, beyond: [] }
  }
  const more = over.length > 1 ? ` (and ${over.length - 1} more)` : ''
  const detail = `${anchor} may not grant ${withReadableHosts(first)}${more}`
  return { anchor, at: [...at, keyFor(first)], code: 'beyond_ceiling', says: 'against', detail, beyond: over }
}

/** The key of a rule that a grant is compared with. */
function keyFor(grant: string): string {
  const [family] = grant.split(':')
  return family === 'net' ? 'allow_net' : family === 'exec' ? 'allow_exec' : 'allow_caps'
}

/** What a signer shall be allowed in addition. */
export type RuleRequest = Partial<Ceiling>

/** An existing rule keeps everything that it allows. */
export function widened(
  old: Ceiling | undefined,
  { allowCaps, allowNet, allowExec, agents }: RuleRequest,
): Ceiling {
  const union = (was: 'any' | readonly string[], more: 'any' | readonly string[] = []) =>
    was === 'any' || more === 'any' ? 'any' : [...new Set([...was, ...more])]
  const both =
    old === undefined ? agents : old.agents && agents ? [...new Set([...old.agents, ...agents])] : old.agents
  return {
    allowCaps: union(old?.allowCaps ?? [], allowCaps),
    allowNet: union(old?.allowNet ?? [], allowNet),
    allowExec: (old?.allowExec ?? false) || (allowExec ?? false),
    agents: both,
  }
}
