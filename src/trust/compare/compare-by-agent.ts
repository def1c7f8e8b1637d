// What two trust policies say of agents: rules, requirements and floors, class by class. Pure.
import { isDeepStrictEqual } from 'node:util'
import type { Group } from '../../model/anchor.ts'
import type { TrustPolicy } from '../../model/trust.ts'
import type { Adverb } from '../../trust-policy/anchor-fields/field.ts'
import { requiredBeyond } from '../../trust-policy/requirements/index.ts'
import { moreGranted, ruleWords } from '../../trust-policy/rule-fields/index.ts'
import { isOlder } from '../../version/version.ts'
import type { AgentClass, AgentClasses } from './agent-classes.ts'
import { agentsOfRules, agentsRequired, entriesByAgent, oldestOf, rulesByAgent } from './by-agent.ts'

export interface PolicyDifference {
  /** Names and patterns of agents; null for every agent but some. */
  readonly agents: readonly string[] | null
  /** Names and patterns of agents for which it does not hold. */
  readonly but: readonly string[]
  /** A clause. */
  readonly says: string
}

/** What `is` trusts and `was` does not. */
export interface Side {
  readonly is: TrustPolicy
  readonly was: TrustPolicy
  readonly classes: AgentClasses
  /** Whether `is` is the new policy. */
  readonly isNew: boolean
  readonly adverb: Adverb
}

export function differencesByAgent(side: Side): PolicyDifference[] {
  return [grants, bounds, requirements, floors, unsigned].flatMap(one => one(side))
}

/**
 * The same clause for several classes of agents is said once.
 * @param patterns agents that none of them covers are treated alike
 */
function eachClass(
  { classes }: Side,
  patterns: Iterable<string>,
  clauses: (one: AgentClass) => readonly string[],
): PolicyDifference[] {
  const named = classes.coveredBy(patterns)
  const found = new Map<string, string[]>()
  for (const one of named)
    for (const says of new Set(clauses(one))) {
      const agents = found.get(says)
      if (agents === undefined) found.set(says, [one.shown])
      else agents.push(one.shown)
    }
  const ofOthers = new Set(clauses(classes.others))
  const ofSome = [...found].filter(([says]) => !ofOthers.has(says))
  return [
    ...[...ofOthers].map(says => {
      const these = new Set(found.get(says))
      const but = named.flatMap(({ shown }) => (these.has(shown) ? [] : shown))
      return { agents: null, but, says }
    }),
    ...ofSome.map(([says, agents]) => ({ agents, but: [], says })),
  ]
}

function grants(side: Side): PolicyDifference[] {
  const { is, was, isNew } = side
  const may = isNew ? 'may now grant' : 'may no longer grant'
  return [...is.rules.keys()].flatMap(name => {
    const [rules, others] = [is.rules.get(name), was.rules.get(name)]
    if (isDeepStrictEqual(rules, others)) return []
    const [ruleOf, otherOf] = [rulesByAgent(rules), rulesByAgent(others)]
    return eachClass(side, [...agentsOfRules(rules), ...agentsOfRules(others)], one => {
      const [rule, other] = [ruleOf(one), otherOf(one)]
      if (rule === undefined) return []
      const more = other === undefined ? [ruleWords(rule).what] : moreGranted(rule, other)
      return more.length === 0 ? [] : [`${name} ${may} ${more.join(', ')}`]
    })
  })
}

/** A required signer without any rule approves; one with a rule bounds what others grant. */
function bounds(side: Side): PolicyDifference[] {
  const { is, was, isNew } = side
  const names = [...was.rules.keys()].filter(name => !is.rules.has(name))
  if (names.length === 0) return []
  const words = isNew ? 'no longer bounded by the rule of' : 'now bounded by the rule of'
  const entriesOf = entriesByAgent(is)
  return eachClass(side, agentsRequired(is), one => {
    const entries = entriesOf(one)
    const required = new Set(entries.flatMap(({ anchors = [], signers = [] }) => [...anchors, ...signers]))
    return names.filter(name => required.has(name)).map(name => `grants are ${words} ${name}`)
  })
}

function requirements(side: Side): PolicyDifference[] {
  const { is, was, isNew } = side
  if (isDeepStrictEqual(is.require, was.require)) return []
  const words = isNew ? 'no longer required' : 'now required'
  const named = nameIn(was)
  const [entriesOf, othersOf] = [entriesByAgent(is), entriesByAgent(was)]
  return eachClass(side, [...agentsRequired(is), ...agentsRequired(was)], one =>
    requiredBeyond(othersOf(one), entriesOf(one), named).map(clause => `${words}: ${clause}`),
  )
}

function floors(side: Side): PolicyDifference[] {
  const { is, was, isNew } = side
  if (isDeepStrictEqual(is.floors, was.floors)) return []
  return eachClass(side, [...is.floors.keys(), ...was.floors.keys()], one => {
    const [floor, other] = [oldestOf(is, one), oldestOf(was, one)]
    if (other === undefined || (floor !== undefined && !isOlder(floor, other))) return []
    const [now, before] = isNew ? [floor, other] : [other, floor]
    return [`${now ?? 'any version'} is the oldest version, and not ${before ?? 'any'}`]
  })
}

function unsigned(side: Side): PolicyDifference[] {
  const { is, was, isNew } = side
  if (is.require !== undefined || (was.require === undefined && isDeepStrictEqual(is.floors, was.floors)))
    return []
  const mayBe = (policy: TrustPolicy, one: AgentClass) =>
    policy.require === undefined && oldestOf(policy, one) === undefined
  const words = isNew ? 'may now pass' : 'no longer passes'
  return eachClass(side, [...is.floors.keys(), ...was.floors.keys()], one =>
    mayBe(is, one) && !mayBe(was, one) ? [`what is unsigned ${words} with --allow-unsigned`] : [],
  )
}

/** A group with what makes it count. */
export function groupWords({ name, of, atLeast }: Group): string {
  return `${name} (${atLeast} of ${of.join(', ')})`
}

function nameIn({ groups }: TrustPolicy): (name: string) => string {
  const byName = new Map(groups.map(group => [group.name, groupWords(group)]))
  return name => byName.get(name) ?? name
}
