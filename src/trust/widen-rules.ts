// The rules of one anchor + what it shall be allowed in addition → its rules, or why one of them cannot grow. Nothing is taken away, and what
// is asked for one agent is granted to no other.
import { isDeepStrictEqual } from 'node:util'
import type { Reading } from '../model/reading.ts'
import type { Ceiling, Rules } from '../model/trust.ts'
import { isList } from './rule.ts'

/** What a signer shall be allowed in addition. */
export type RuleRequest = Partial<Ceiling>

export function widenedRules(old: Rules | undefined, request: RuleRequest): Reading<Rules> {
  const { agents } = request
  if (old === undefined) return { value: { ...grown(undefined, request), agents } }
  if (agents === undefined) {
    if (!isList(old)) return { value: grown(old, request) }
    return { problem: 'it has a rule for each of several agents; say which one is meant with --agent' }
  }
  // No grant is asked for: the rule that is there, for further agents.
  if (!isList(old) && isEmpty(request))
    return { value: { ...old, agents: old.agents && union(old.agents, agents) } }
  return widenedFor(agents, old, request)
}

function widenedFor(agents: readonly string[], old: Rules, request: RuleRequest): Reading<Rules> {
  const rules: Ceiling[] = []
  for (const rule of isList(old) ? old : [old]) {
    const wider = grown(rule, request)
    const isMeant = rule.agents === undefined || rule.agents.some(agent => agents.includes(agent))
    const others = rule.agents?.filter(agent => !agents.includes(agent)) ?? ['every other agent']
    if (isMeant && others.length > 0 && !isDeepStrictEqual(wider, rule))
      return { problem: leak(rule, others) }
    rules.push(isMeant ? wider : rule)
  }
  const known = new Set(rules.flatMap(rule => rule.agents ?? agents))
  const missing = agents.filter(agent => !known.has(agent))
  if (missing.length > 0) rules.push({ ...grown(undefined, request), agents: missing })
  const [only, ...more] = rules
  return { value: only !== undefined && more.length === 0 && !isList(old) ? only : rules }
}

function leak({ agents }: Ceiling, others: readonly string[]): string {
  const whom = agents === undefined ? 'every agent' : agents.join(', ')
  return `its rule is for ${whom}, so ${others.join(', ')} would be granted the same`
}

/** The grants of both; the agents of the old one. */
function grown(old: Ceiling | undefined, { allowCaps, allowNet, allowExec }: RuleRequest): Ceiling {
  const either = (was: 'any' | readonly string[], more: 'any' | readonly string[] = []) =>
    was === 'any' || more === 'any' ? 'any' : union(was, more)
  return {
    allowCaps: either(old?.allowCaps ?? [], allowCaps),
    allowNet: either(old?.allowNet ?? [], allowNet),
    allowExec: (old?.allowExec ?? false) || (allowExec ?? false),
    agents: old?.agents,
  }
}

function union(some: readonly string[], more: readonly string[]): readonly string[] {
  return [...new Set([...some, ...more])]
}

function isEmpty({ allowCaps = [], allowNet = [], allowExec = false }: RuleRequest): boolean {
  return allowCaps.length === 0 && allowNet.length === 0 && !allowExec
}
