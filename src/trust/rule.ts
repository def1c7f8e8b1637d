// The rule of one anchor or group and a bundle → whether it alone may grant what policy.caps asks for (docs/spec/judging.md, J-22 and J-23). Pure.

import type { Pointer } from '../model/document.ts'
import type { Policy } from '../model/policy.ts'
import type { CodeOf } from '../model/reason-codes.ts'
import type { PolicyLine } from '../model/report.ts'
import type { Ceiling, Rules, TrustPolicy } from '../model/trust.ts'
import { readHostPort } from '../policy/host.ts'
import { crossesTheNetwork } from '../policy/reached.ts'
import { withReadableHosts } from '../policy/readable-host.ts'
import { filledScopes } from '../trust-policy/filled-scopes.ts'
import { closenessTo, excessOver, filledRule } from '../trust-policy/rule-fields/index.ts'
import { referenceText } from '../version/reference.ts'

export interface RuleAnswer {
  readonly anchor: string
  readonly at: Pointer
  /** Why not, if it says no. */
  readonly code: CodeOf<'policy_denied'>
  /** `neutral`: there is no rule, so the anchor can approve but grants nothing. */
  readonly says: 'for' | 'against' | 'neutral'
  /** One sentence without a full stop. */
  readonly detail: string
  /** Grants that the rule does not allow. */
  readonly beyond: readonly string[]
  /** A line of the policy for each of them. */
  readonly excess: readonly PolicyLine[]
}

/** The grants that a bundle asks for, and its agent. */
export interface Asked {
  readonly agent: { readonly name: string; readonly variant?: string | undefined }
  /** policy.caps as signed, before overrides. */
  readonly caps: Policy
}

export function ruleAnswer(policy: TrustPolicy, anchor: string, { agent, caps }: Asked): RuleAnswer {
  const rules = policy.rules.get(anchor)
  const none = { anchor, beyond: [], excess: [] }
  if (rules === undefined) {
    const detail = `${anchor} has no rule, so it may not grant anything`
    return { ...none, at: ['anchors', anchor], code: 'no_rule', says: 'neutral', detail }
  }
  const reference = referenceText(agent)
  const found = ruleFor(anchor, rules, reference)
  if (found === undefined) {
    const detail = `${anchor} may not grant anything to ${reference}`
    const at = isList(rules) ? ['rules', anchor] : ['rules', anchor, 'agents']
    return { ...none, at, code: 'rule_for_other_agents', says: 'against', detail }
  }
  const { rule, at } = found
  const over = excessOver(filledRule(rule, agent.name), caps)
  const because = putIn(rule, agent.name)
  const excess = over.map(({ grant, key }) => ({
    at: [...at, key],
    says: 'against' as const,
    detail: `${anchor} may not grant ${withReadableHosts(grant)}${because}`,
  }))
  const [first] = excess
  const beyond = over.map(({ grant }) => grant)
  if (first !== undefined) return { ...first, anchor, code: 'beyond_ceiling', beyond, excess }
  const detail = `${anchor} may grant what policy.caps asks${because}${inClear(caps)}`
  return { ...none, at, code: 'beyond_ceiling', says: 'for', detail }
}

/** What everybody on the way may read and change. */
function inClear({ net }: Policy): string {
  const seen = net.hosts.filter(text => {
    const host = readHostPort(text)
    return net.allowHttp && !('problem' in host) && crossesTheNetwork(host.host)
  })
  if (seen.length === 0) return ''
  const more = seen.length > MOST_SCOPES ? ` and ${seen.length - MOST_SCOPES} more` : ''
  return `; unencrypted over the network: ${withReadableHosts(seen.slice(0, MOST_SCOPES).join(', '))}${more}`
}

/** More do not help in a sentence. */
const MOST_SCOPES = 3

/** What a rule with `{agent}` has for this agent; empty for one without. */
function putIn(rule: Ceiling, name: string): string {
  const scopes = filledScopes(rule, name)
  if (scopes.length === 0) return ''
  const more = scopes.length > MOST_SCOPES ? ` and ${scopes.length - MOST_SCOPES} more` : ''
  return `: its rule has ${scopes.slice(0, MOST_SCOPES).join(', ')}${more} for ${name}`
}

/** The rules of one anchor, each with its place in the policy. */
export function placedRules(
  anchor: string,
  rules: Rules,
): { readonly rule: Ceiling; readonly at: Pointer }[] {
  if (!isList(rules)) return [{ rule: rules, at: ['rules', anchor] }]
  return rules.map((rule, index) => ({ rule, at: ['rules', anchor, index] }))
}

/** The one rule that applies to an agent, `name` or `name@variant`: the one that names it most closely. */
export function ruleFor(anchor: string, rules: Rules, reference: string) {
  let found: { readonly rule: Ceiling; readonly at: Pointer } | undefined
  let closest = -1
  for (const placed of placedRules(anchor, rules)) {
    const how = closenessTo(placed.rule, reference)
    if (how === undefined || how <= closest) continue
    closest = how
    found = placed
  }
  return found
}

export function isList(rules: Rules): rules is readonly Ceiling[] {
  return Array.isArray(rules)
}
