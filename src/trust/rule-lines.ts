// What a signer may grant under a trust policy → a sentence for each rule. Pure.

import type { Pointer } from '../model/document.ts'
import type { Ceiling, PolicySource, TrustPolicy } from '../model/trust.ts'
import { withReadableHosts } from '../policy/readable-host.ts'
import { filledScopes } from '../trust-policy/filled-scopes.ts'
import { filledRule, ruleWords } from '../trust-policy/rule-fields/index.ts'
import { readReference } from '../version/reference.ts'
import { placedRules, ruleFor } from './rule.ts'

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
