// The rules of one anchor + what it shall be allowed in addition → its rules, or why one of them cannot grow. Nothing is taken away, and what
// is asked for one agent is granted to no other.
import { isDeepStrictEqual } from 'node:util'
import type { Reading } from '../model/reading.ts'
import type { Ceiling, Rules } from '../model/trust.ts'
import { asksNothing, grownRule, RULE_FIELDS, type RuleRequest } from '../trust-policy/rule-fields/index.ts'
import { isList, ruleFor } from './rule.ts'

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
