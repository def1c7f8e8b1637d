// The agents that two policies name → classes of agents that both treat alike, each with an agent of it to ask about. Pure.
import { prefixOf } from '../../format/agent/agent-pattern.ts'
import { placedRequirements } from '../../format/trust/requirements/index.ts'
import type { TrustPolicy } from '../../model/trust.ts'
import { placedRules } from '../rule.ts'

export interface AgentClass {
  /** A pattern, or words. */
  readonly shown: string
  /** One agent of it, `name` or `name@variant`, which need not exist. */
  readonly agent: string
}

const OTHERS = 'every other agent'
const LETTERS = [...'abcdefghijklmnopqrstuvwxyz0123456789_']
/** A variant that no policy of a test or a house has, unless `taken` says so. */
const VARIANT = 'x'

/** Every agent is of one class. One that no policy names is of the last. */
export function agentClasses(policies: readonly TrustPolicy[]): AgentClass[] {
  const patterns = new Set(policies.flatMap(patternsOf))
  const begun = new Set([...patterns].flatMap(beginnings))
  const variantOf = (agent: string) => `${agent}@${freshVariant(agent, patterns)}`
  const named = new Map<string, string>()
  for (const pattern of patterns) {
    const prefix = prefixOf(pattern)
    if (prefix === undefined) {
      named.set(pattern, pattern)
      if (!pattern.includes('@')) named.set(`${pattern}@*`, variantOf(pattern))
      continue
    }
    const agent = freshName(prefix, begun)
    named.set(`${prefix}*`, agent).set(`${prefix}*@*`, variantOf(agent))
  }
  const known = [...named].map(([shown, agent]) => ({ shown, agent }))
  return [...known, { shown: OTHERS, agent: freshName('', begun) }]
}

function patternsOf({ rules, require, floors }: TrustPolicy): string[] {
  return [
    ...[...rules].flatMap(([name, all]) => placedRules(name, all).flatMap(({ rule }) => rule.agents ?? [])),
    ...placedRequirements(require).flatMap(({ entry }) => entry.agents ?? []),
    ...floors.keys(),
  ]
}

function beginnings(pattern: string): string[] {
  const [name = ''] = (prefixOf(pattern) ?? pattern).split('@')
  return Array.from({ length: name.length }, (_, index) => name.slice(0, index + 1))
}

/** The shortest name that has the prefix and begins like no name or prefix that is longer; the prefix itself if that is full. */
function freshName(prefix: string, begun: ReadonlySet<string>): string {
  const waiting = [prefix]
  for (const start of waiting) {
    const letters = start === '' ? LETTERS.slice(0, 26) : LETTERS
    const next = letters.map(letter => `${start}${letter}`)
    const fresh = next.find(name => !begun.has(name))
    if (fresh !== undefined) return fresh
    waiting.push(...next)
  }
  return prefix
}

function freshVariant(agent: string, patterns: ReadonlySet<string>): string {
  let variant = VARIANT
  while (patterns.has(`${agent}@${variant}`)) variant += VARIANT
  return variant
}
