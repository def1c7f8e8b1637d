// The rules of one anchor or group: whether they alone may grant what policy.caps asks for (docs/spec/judging.md, J-22 and J-23), how they
// grow, and what they say, in sentences for people. Pure. Growing takes nothing away, and what is asked for one agent is granted to no
// other.

import { isDeepStrictEqual } from 'node:util'
import type { Pointer } from '../model/document.ts'
import type { Policy } from '../model/policy.ts'
import type { Reading } from '../model/reading.ts'
import type { CodeOf } from '../model/reason-codes.ts'
import type { PolicyLine } from '../model/report.ts'
import type { Ceiling, PolicySource, Rules, TrustPolicy } from '../model/trust.ts'
import { crossesTheNetwork } from '../policy/address.ts'
import { readHostPort } from '../policy/host.ts'
import { withReadableHosts } from '../policy/readable-host.ts'
import { filledCapability } from '../trust-policy/rule-fields/allow-caps.ts'
import { hasBrace } from '../trust-policy/rule-fields/field.ts'
import {
  asksNothing,
  closenessTo,
  excessOver,
  filledRule,
  grownRule,
  RULE_FIELDS,
  type RuleRequest,
  ruleWords,
} from '../trust-policy/rule-fields/index.ts'
import { readReference, referenceText } from '../version/reference.ts'

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
export interface CapsRequest {
  readonly agent: { readonly name: string; readonly variant?: string | undefined }
  /** policy.caps as signed, before overrides. */
  readonly caps: Policy
}

export function ruleAnswer(policy: TrustPolicy, anchor: string, { agent, caps }: CapsRequest): RuleAnswer {
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

function isList(rules: Rules): rules is readonly Ceiling[] {
  return Array.isArray(rules)
}

export function widenedRules(old: Rules | undefined, request: RuleRequest): Reading<Rules> {
  const { agents } = request
  if (old === undefined) return { value: { ...grownRule(undefined, request), agents } }
  if (agents === undefined) {
    if (!isList(old)) return { value: grownRule(old, request) }
    return { problem: 'it has a rule for each of several agents; say which one is meant' }
  }
  // No grant is asked for: the rule that is there, for further agents.
  if (!isList(old) && asksNothing(request))
    return { value: { ...old, agents: RULE_FIELDS.agents.grown(old.agents, agents) } }
  return widenedFor(agents, old, request)
}

function widenedFor(agents: readonly string[], old: Rules, request: RuleRequest): Reading<Rules> {
  const rules: Ceiling[] = []
  for (const rule of isList(old) ? old : [old]) {
    const wider = grownRule(rule, request)
    const isMeant = rule.agents === undefined || rule.agents.some(agent => agents.includes(agent))
    const others = rule.agents?.filter(agent => !agents.includes(agent)) ?? ['every other agent']
    if (isMeant && others.length > 0 && !isDeepStrictEqual(wider, rule))
      return { problem: leak(rule, others) }
    rules.push(isMeant ? wider : rule)
  }
  const known = new Set(rules.flatMap(rule => rule.agents ?? agents))
  const missing = agents.filter(agent => !known.has(agent))
  // A rule that names an agent more closely takes the place of one for its prefix, so it allows what that one does.
  const bases = new Map(missing.map(agent => [agent, baseOf(old, agent)]))
  for (const base of new Set(bases.values()))
    rules.push({
      ...grownRule(base, request),
      agents: missing.filter(agent => bases.get(agent) === base),
    })
  const [only, ...more] = rules
  return { value: only !== undefined && more.length === 0 && !isList(old) ? only : rules }
}

/** The rule that has decided about what an agent or a prefix may be granted. */
function baseOf(rules: Rules, pattern: string): Ceiling | undefined {
  return ruleFor('', rules, pattern.replace(/\*@\*$/, '@any').replace(/\*$/, ''))?.rule
}

function leak({ agents }: Ceiling, others: readonly string[]): string {
  const whom = agents === undefined ? 'every agent' : agents.join(', ')
  return `its rule is for ${whom}, so ${others.join(', ')} would be granted the same`
}

/** @param agents for which `{agent}` is shown replaced as well; patterns are left out */
export function ruleLines(
  { policy }: PolicySource,
  anchor: string,
  agents: readonly string[] = [],
): string[] {
  if (policy === undefined) return []
  const rules = policy.rules.get(anchor)
  const filled = agents.flatMap(agent => {
    const name = readReference(agent)?.name
    const rule = name && rules && ruleFor(anchor, rules, agent)?.rule
    if (!name || !rule || filledScopes(rule, name).length === 0) return []
    return { ...filledRule(rule, name), agents: [agent] }
  })
  return [...rulesOf(policy.rules, anchor), ...filled.map(rule => ({ rule }))].map(
    ({ rule }) => `${anchor} ${ruleText(rule)}`,
  )
}

/** One without a rule if there is none. */
export function rulesOf(
  rules: TrustPolicy['rules'],
  name: string,
): readonly { readonly rule?: Ceiling; readonly at?: Pointer }[] {
  const all = rules.get(name)
  return all === undefined ? [{}] : placedRules(name, all)
}

export function ruleText(rule: Ceiling | undefined): string {
  if (rule === undefined) return 'can approve, and grants nothing: it has no rule'
  const { what, toWhom } = ruleWords(rule)
  return `may grant ${withReadableHosts(what)} ${toWhom}`
}

/** The scopes of a rule that have `{agent}`, for the agents of one name, as capability strings. */
function filledScopes({ allowCaps, secretsTo }: Ceiling, name: string): readonly string[] {
  const scopes = allowCaps === 'any' ? [] : allowCaps
  const secrets = Object.keys(secretsTo ?? {}).map(secret => `secrets:${secret}`)
  const filled = [...scopes, ...secrets].filter(hasBrace).map(text => filledCapability(text, name))
  return [...new Set(filled)]
}
