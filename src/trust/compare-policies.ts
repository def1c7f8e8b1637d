// Compares two trust policies: what one trusts that the other does not, over classes of agents that both treat alike, and one agent for all
// that neither names. A policy may have thousands of patterns. Where it says nothing in one direction, no bundle gets a better verdict, and
// in the other no worse one: a test asks the conformance kit.

import { isDeepStrictEqual } from 'node:util'
import { closeness, coveringPatterns, prefixOf } from '../agent/agent-pattern.ts'
import type { Group } from '../model/anchor.ts'
import { RlpError } from '../model/error.ts'
import type { Ceiling, PolicySource, Requirements, Rules, TrustPolicy } from '../model/trust.ts'
import { digestText } from '../text/digest-text.ts'
import type { Adverb } from '../trust-policy/anchor-fields/field.ts'
import { anchorWords, moreCounted } from '../trust-policy/anchor-fields/index.ts'
import { laterEnd } from '../trust-policy/anchor-fields/until.ts'
import { placedRequirements, requiredBeyond } from '../trust-policy/requirements/index.ts'
import { filledRule, moreGranted, ruleWords } from '../trust-policy/rule-fields/index.ts'
import { hasIdentities } from '../trust-policy/trusted-root.ts'
import { bundleIdentity } from '../version/reference.ts'
import { isOlder } from '../version/version.ts'
import { policyInFile } from './policy-file.ts'
import { placedRules } from './rule.ts'

export interface ComparedPolicies {
  /** What is trusted under the new policy and was not under the old one. */
  readonly widened: readonly PolicyDifference[]
  /** What is no longer trusted. */
  readonly narrowed: readonly PolicyDifference[]
}

export function comparePolicies(before: TrustPolicy, after: TrustPolicy): ComparedPolicies {
  const classes = agentClasses([before, after])
  return {
    widened: differences({ is: after, was: before, classes, isNew: true, adverb: 'now' }),
    narrowed: differences({ is: before, was: after, classes, isNew: false, adverb: 'no longer' }),
  }
}

function differences(side: Side): PolicyDifference[] {
  const always = [ends, authorities, anchors, groups, revoked].flatMap(one => one(side))
  const byAgent = [grants, bounds, requirements, floors, unsigned].flatMap(one => one(side))
  return [...always.map(says => ({ agents: null, but: [], says })), ...byAgent]
}

function ends({ is, was, adverb }: Side): string[] {
  return laterEnd(is.validUntil, was.validUntil, adverb).map(end => `the policy decides ${end}`)
}

/** Other authorities can vouch for any identity. */
function authorities({ is, was, adverb }: Side): string[] {
  const root = is.trustedRoot
  if (root === undefined || !hasIdentities(is) || !hasIdentities(was)) return []
  if (root.blake3 === was.trustedRoot?.blake3) return []
  return [`the authorities of ${digestText(root.blake3)} ${adverb} vouch for identities`]
}

function anchors({ is, was, adverb }: Side): string[] {
  const others = new Map(was.anchors.map(anchor => [anchor.name, anchor]))
  return is.anchors.flatMap(anchor => {
    const other = others.get(anchor.name)
    if (other === undefined) return `${anchor.name} ${adverb} counts: ${anchorWords(anchor)}`
    return moreCounted(anchor, other, adverb).map(clause => `${anchor.name} ${clause}`)
  })
}

function groups({ is, was, isNew, adverb }: Side): string[] {
  const others = new Map(was.groups.map(group => [group.name, group]))
  const anchorsThere = new Set(was.anchors.map(({ name }) => name))
  return is.groups.flatMap(group => {
    const { name, of, atLeast } = group
    const other = others.get(name)
    // What a new group may grant, and where it is required, is said there. As a name that was an anchor's, it changes these.
    if (other === undefined) return anchorsThere.has(name) ? `${groupWords(group)} ${adverb} counts` : []
    const [now, before] = isNew ? [group, other] : [other, group]
    return [
      ...of.filter(one => !other.of.includes(one)).map(one => `${one} ${adverb} counts in ${name}`),
      ...(atLeast < other.atLeast ? [`${name} needs ${now.atLeast}, and not ${before.atLeast}`] : []),
    ]
  })
}

function revoked({ is, was, isNew, adverb }: Side): string[] {
  const lifted = (kind: 'revokedKeys' | 'revokedBundles') =>
    [...was[kind].keys()].filter(one => !is[kind].has(one))
  const words = isNew ? 'no longer revoked' : 'revoked'
  const changed = [...is.revokedKeys].flatMap(([key, { replacedBy }]) =>
    replacedBy === undefined || was.revokedKeys.get(key)?.replacedBy === replacedBy
      ? []
      : `${replacedBy} ${adverb} takes the place of ${key}`,
  )
  return [
    ...[...lifted('revokedKeys'), ...lifted('revokedBundles').map(bundleIdentity)].map(
      one => `${words}: ${one}`,
    ),
    ...changed,
  ]
}

export interface PolicyDifference {
  /** Names and patterns of agents; null for every agent but some. */
  readonly agents: readonly string[] | null
  /** Names and patterns of agents for which it does not hold. */
  readonly but: readonly string[]
  /** A clause. */
  readonly says: string
}

/** What `is` trusts and `was` does not. */
interface Side {
  readonly is: TrustPolicy
  readonly was: TrustPolicy
  readonly classes: AgentClasses
  /** Whether `is` is the new policy. */
  readonly isNew: boolean
  readonly adverb: Adverb
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
function groupWords({ name, of, atLeast }: Group): string {
  return `${name} (${atLeast} of ${of.join(', ')})`
}

function nameIn({ groups }: TrustPolicy): (name: string) => string {
  const byName = new Map(groups.map(group => [group.name, groupWords(group)]))
  return name => byName.get(name) ?? name
}

/**
 * The rules of one signer, or none → the one for an agent, as `ruleFor` finds it, without a look at every rule for every agent. If all agents of the class
 * have one name, it takes the place of `{agent}`; else the place stays, and stands for whichever name.
 */
function rulesByAgent(rules: Rules | undefined): (one: AgentClass) => Ceiling | undefined {
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
function agentsOfRules(rules: Rules | undefined): string[] {
  return rules === undefined ? [] : placedRules('', rules).flatMap(({ rule }) => rule.agents ?? [])
}

/** The patterns of agents of which something is required. */
function agentsRequired({ require }: TrustPolicy): string[] {
  return placedRequirements(require).flatMap(({ entry }) => entry.agents ?? [])
}

/** What is required → the entries that an agent has to meet, as `requirementsFor` finds them. */
function entriesByAgent({ require }: TrustPolicy): (one: AgentClass) => Requirements[] {
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
function oldestOf({ floors }: TrustPolicy, { covering }: AgentClass): string | undefined {
  let highest: string | undefined
  for (const pattern of covering) {
    const floor = floors.get(pattern)
    if (floor !== undefined && (highest === undefined || isOlder(highest, floor))) highest = floor
  }
  return highest
}

/** Agents that both policies treat alike. */
interface AgentClass {
  /** As a pattern. */
  readonly shown: string
  /** One agent of it, `name` or `name@variant`, which need not exist. */
  readonly agent: string
  /** The patterns of the two policies that cover it where they tighten, the closest first. */
  readonly covering: readonly string[]
}

interface AgentClasses {
  /** All agents that no pattern names. */
  readonly others: AgentClass
  /** The classes of agents that one of these patterns covers where it tightens. */
  coveredBy(patterns: Iterable<string>): readonly AgentClass[]
}

const LETTERS = [...'abcdefghijklmnopqrstuvwxyz0123456789_']

function agentClasses(policies: readonly TrustPolicy[]): AgentClasses {
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

function patternsOf(policy: TrustPolicy): string[] {
  return [
    ...[...policy.rules.values()].flatMap(agentsOfRules),
    ...agentsRequired(policy),
    ...policy.floors.keys(),
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

/** A policy that is looked at, and not in use here. */
interface LabelledPolicy {
  /** An absolute path, or what was read already. */
  readonly source: string | PolicySource
  /** As it was named. */
  readonly label: string
}

export interface TrustDiffed extends ComparedPolicies {
  /** Whether nothing is trusted that was not. */
  readonly passed: boolean
  /** Whether the two decide alike. */
  readonly isSame: boolean
}

/** @throws RlpError NOT_FOUND, or LINT_FAILED for a policy that decides nothing */
export async function compareSources(old: LabelledPolicy, now: LabelledPolicy): Promise<TrustDiffed> {
  const doing = `compare "${old.label}" with "${now.label}"`
  const [before, after] = await Promise.all([usablePolicy(old, doing), usablePolicy(now, doing)])
  const { widened, narrowed } = comparePolicies(before, after)
  const passed = widened.length === 0
  return { passed, isSame: passed && narrowed.length === 0, widened, narrowed }
}

async function usablePolicy({ source }: LabelledPolicy, doing: string): Promise<TrustPolicy> {
  const { policy, problems, digest } = typeof source === 'string' ? await policyInFile(source) : source
  if (policy !== undefined) return policy
  const isThere = typeof source !== 'string' || digest !== undefined
  throw new RlpError(isThere ? 'LINT_FAILED' : 'NOT_FOUND', `Cannot ${doing}: ${problems[0]}`, {
    hint: isThere ? 'Correct the line; docs/trust.md explains the file' : 'Check the path',
  })
}
