// What two trust policies say of agents: rules, requirements and floors, class by class. Pure.
import { isDeepStrictEqual } from 'node:util'
import type { Adverb } from '../../format/trust/anchor-fields/field.ts'
import { floorsFor, isBelow } from '../../format/trust/floors.ts'
import { requiredBeyond, requirementsFor } from '../../format/trust/requirements/index.ts'
import { moreGranted, ruleWords } from '../../format/trust/rule-fields/index.ts'
import { isOlder } from '../../format/version/version.ts'
import type { Group } from '../../model/anchor.ts'
import type { Ceiling, Requirements, TrustPolicy } from '../../model/trust.ts'
import { ruleFor } from '../rule.ts'
import type { AgentClass } from './agent-classes.ts'

export interface PolicyDifference {
  /** Names and patterns of agents; undefined for every agent. */
  readonly agents: readonly string[] | undefined
  /** A clause. */
  readonly says: string
}

/** What `is` trusts and `was` does not. */
export interface Side {
  readonly is: TrustPolicy
  readonly was: TrustPolicy
  readonly classes: readonly AgentClass[]
  /** Whether `is` is the new policy. */
  readonly isNew: boolean
  readonly adverb: Adverb
}

export function differencesByAgent(side: Side): PolicyDifference[] {
  return [grants, bounds, requirements, floors, unsigned].flatMap(one => one(side))
}

/** The same clause for several classes of agents is said once. */
function eachClass(
  { classes }: Pick<Side, 'classes'>,
  clauses: (agent: string) => readonly string[],
): PolicyDifference[] {
  const found = new Map<string, string[]>()
  for (const { shown, agent } of classes)
    for (const says of new Set(clauses(agent))) found.set(says, [...(found.get(says) ?? []), shown])
  return [...found].map(([says, agents]) => ({
    agents: agents.length === classes.length ? undefined : agents,
    says,
  }))
}

function ceilingFor({ rules }: TrustPolicy, name: string, agent: string): Ceiling | undefined {
  const all = rules.get(name)
  return all && ruleFor(name, all, agent)?.rule
}

function grants(side: Side): PolicyDifference[] {
  const { is, was, isNew } = side
  const may = isNew ? 'may now grant' : 'may no longer grant'
  return [...is.rules.keys()].flatMap(name => {
    if (isDeepStrictEqual(is.rules.get(name), was.rules.get(name))) return []
    return eachClass(side, agent => {
      const [rule, other] = [ceilingFor(is, name, agent), ceilingFor(was, name, agent)]
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
  return eachClass(side, agent => {
    const required = new Set(
      entriesFor(is, agent).flatMap(({ anchors = [], signers = [] }) => [...anchors, ...signers]),
    )
    return names.filter(name => required.has(name)).map(name => `grants are ${words} ${name}`)
  })
}

function entriesFor({ require }: TrustPolicy, agent: string): Requirements[] {
  return requirementsFor(require, agent).map(({ entry }) => entry)
}

function requirements(side: Side): PolicyDifference[] {
  const { is, was, isNew } = side
  if (isDeepStrictEqual(is.require, was.require)) return []
  const words = isNew ? 'no longer required' : 'now required'
  const named = nameIn(was)
  return eachClass(side, agent =>
    requiredBeyond(entriesFor(was, agent), entriesFor(is, agent), named).map(one => `${words}: ${one}`),
  )
}

function floors(side: Side): PolicyDifference[] {
  const { is, was, isNew } = side
  if (isDeepStrictEqual(is.floors, was.floors)) return []
  return eachClass(side, agent => {
    const [floor, other] = [oldestOf(is, agent), oldestOf(was, agent)]
    if (other === undefined || (floor !== undefined && !isOlder(floor, other))) return []
    const [now, before] = isNew ? [floor, other] : [other, floor]
    return [`${now ?? 'any version'} is the oldest version, and not ${before ?? 'any'}`]
  })
}

/** The highest floor: whatever is not below it is below none. */
function oldestOf(policy: TrustPolicy, agent: string): string | undefined {
  const [first, ...more] = floorsFor(policy, agent)
  return more.reduce((highest, floor) => (isBelow(floor, highest?.version ?? '') ? floor : highest), first)
    ?.version
}

function unsigned(side: Side): PolicyDifference[] {
  const { is, was, isNew } = side
  const mayBe = (policy: TrustPolicy, agent: string) =>
    policy.require === undefined && floorsFor(policy, agent).length === 0
  const words = isNew ? 'may now pass' : 'no longer passes'
  return eachClass(side, agent =>
    mayBe(is, agent) && !mayBe(was, agent) ? [`what is unsigned ${words} with --allow-unsigned`] : [],
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
