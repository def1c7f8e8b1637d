// The agents that two policies name → classes of agents that both treat alike, each with an agent of it to ask about, and one agent for
// all that neither names. Pure.
import { coveringPatterns, prefixOf } from '../../agent/agent-pattern.ts'
import type { TrustPolicy } from '../../model/trust.ts'
import { placedRequirements } from '../../trust-policy/requirements/index.ts'
import { placedRules } from '../rule.ts'

/** Agents that both policies treat alike. */
export interface AgentClass {
  /** As a pattern. */
  readonly shown: string
  /** One agent of it, `name` or `name@variant`, which need not exist. */
  readonly agent: string
  /** The patterns of the two policies that cover it where they tighten, the closest first. */
  readonly covering: readonly string[]
}

export interface AgentClasses {
  /** All agents that no pattern names. */
  readonly others: AgentClass
  /** The classes of agents that one of these patterns covers where it tightens. */
  coveredBy(patterns: Iterable<string>): readonly AgentClass[]
}

const LETTERS = [...'abcdefghijklmnopqrstuvwxyz0123456789_']

export function agentClasses(policies: readonly TrustPolicy[]): AgentClasses {
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
  const lengths = new Set([...patterns].flatMap(pattern => prefixOf(pattern)?.length ?? []))
  const covered = new Map<string, AgentClass[]>()
  for (const [shown, agent] of named) {
    const covering = coveringPatterns(agent, length => lengths.has(length)).filter(one => patterns.has(one))
    for (const pattern of covering) {
      const classes = covered.get(pattern)
      if (classes === undefined) covered.set(pattern, [{ shown, agent, covering }])
      else classes.push({ shown, agent, covering })
    }
  }
  return {
    others: { shown: '', agent: freshName('', begun), covering: [] },
    coveredBy(asked) {
      const all = [...new Set(asked)].flatMap(pattern => covered.get(pattern) ?? [])
      return [...new Map(all.map(one => [one.shown, one])).values()]
    },
  }
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
  let variant = 'x'
  while (patterns.has(`${agent}@${variant}`)) variant += 'x'
  return variant
}
