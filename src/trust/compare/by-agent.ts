// A trust policy → its rules, requirements and floors for an agent, found by the patterns that cover it: a policy may have thousands of each.
import { closeness } from '../../agent/agent-pattern.ts'
import type { Ceiling, Requirements, Rules, TrustPolicy } from '../../model/trust.ts'
import { placedRequirements } from '../../trust-policy/requirements/index.ts'
import { filledRule } from '../../trust-policy/rule-fields/index.ts'
import { isOlder } from '../../version/version.ts'
import { placedRules } from '../rule.ts'
import type { AgentClass } from './agent-classes.ts'

/**
 * The rules of one signer, or none → the one for an agent, as `ruleFor` finds it, without a look at every rule for every agent. If all agents of the class
 * have one name, it takes the place of `{agent}`; else the place stays, and stands for whichever name.
 */
export function rulesByAgent(rules: Rules | undefined): (one: AgentClass) => Ceiling | undefined {
  const placed = rules === undefined ? [] : placedRules('', rules)
  const byPattern = new Map(
    placed.flatMap(({ rule }) => (rule.agents ?? []).map(pattern => [pattern, rule] as const)),
  )
  const ofEvery = placed.find(({ rule }) => rule.agents === undefined)?.rule
  return ({ agent, covering, shown }) => {
    const pattern = covering.find(one => byPattern.has(one) && closeness(one, agent) !== undefined)
    const rule = pattern === undefined ? ofEvery : byPattern.get(pattern)
    const [name = ''] = shown.split('@')
    return rule && filledRule(rule, name)
  }
}

/** The patterns of agents that rules name. */
export function agentsOfRules(rules: Rules | undefined): string[] {
  return rules === undefined ? [] : placedRules('', rules).flatMap(({ rule }) => rule.agents ?? [])
}

/** The patterns of agents of which something is required. */
export function agentsRequired({ require }: TrustPolicy): string[] {
  return placedRequirements(require).flatMap(({ entry }) => entry.agents ?? [])
}

/** What is required → the entries that an agent has to meet, as `requirementsFor` finds them. */
export function entriesByAgent({ require }: TrustPolicy): (one: AgentClass) => Requirements[] {
  const entries = placedRequirements(require).map(({ entry }) => entry)
  const ofEvery = entries.filter(({ agents }) => agents === undefined)
  const byPattern = new Map<string, Requirements[]>()
  for (const entry of entries)
    for (const pattern of entry.agents ?? [])
      byPattern.set(pattern, [...(byPattern.get(pattern) ?? []), entry])
  return ({ covering }) => [
    ...new Set([...ofEvery, ...covering.flatMap(pattern => byPattern.get(pattern) ?? [])]),
  ]
}

/** The highest floor: whatever is not below it is below none. */
export function oldestOf({ floors }: TrustPolicy, { covering }: AgentClass): string | undefined {
  let highest: string | undefined
  for (const pattern of covering) {
    const floor = floors.get(pattern)
    if (floor !== undefined && (highest === undefined || isOlder(highest, floor))) highest = floor
  }
  return highest
}
