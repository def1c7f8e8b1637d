// The registry of a rule's fields: one file and one line each. What reads, judges, shows, writes or asks for a rule goes through all of them.
import { isDeepStrictEqual } from 'node:util'
import type { Pointer } from '../../model/document.ts'
import { own } from '../../model/own.ts'
import type { Policy } from '../../model/policy.ts'
import type { Ceiling } from '../../model/trust.ts'
import { policyGrants, unknownGrants } from '../../policy/ceiling.ts'
import type { TableReader } from '../../toml/closed-table.ts'
import { agents } from './agents.ts'
import { allowCaps } from './allow-caps.ts'
import { allowExec } from './allow-exec.ts'
import { allowHttp } from './allow-http.ts'
import { allowNet } from './allow-net.ts'
import type { RuleField, Unsaid } from './field.ts'
import { secretsTo } from './secrets-to.ts'

/** In the order in which they are read, written and shown. */
export const RULE_FIELDS = {
  allowCaps,
  allowNet,
  allowHttp,
  allowExec,
  secretsTo,
  agents,
} as const satisfies {
  readonly [F in keyof Ceiling]: RuleField<Ceiling[F]>
}

type Name = keyof Ceiling
type Value = Ceiling[Name]
const FIELDS = Object.entries(RULE_FIELDS) as readonly (readonly [name: Name, field: RuleField<Value>])[]

/** What a signer shall be allowed in addition. */
export type RuleRequest = Partial<Ceiling>

/** A rule, field by field. */
function ruleOf(value: (field: RuleField<Value>, name: Name) => Value): Ceiling {
  return Object.fromEntries(FIELDS.map(([name, field]) => [name, value(field, name)])) as unknown as Ceiling
}

export function readRule(reader: TableReader, value: unknown, at: Pointer): Ceiling {
  const table = reader.table(value, at, 'a rule is a table, or a list of tables')
  reader.closed(
    table,
    FIELDS.map(([, { key }]) => key),
    at,
  )
  const rule = ruleOf(({ key, read }) => read(reader, own(table, key), [...at, key]))
  for (const [name, field] of FIELDS)
    if (field.decides === 'what') field.consistent?.(rule[name], rule, reader, [...at, field.key])
  return rule
}

/** How closely a rule names an agent, `name` or `name@variant`; undefined if it is for others. */
export function closenessTo({ agents }: Ceiling, agent: string): number | undefined {
  return RULE_FIELDS.agents.closeness(agents, agent)
}

/** The rule for the agents of one name, which takes the place of `{agent}`. What is no name of an agent takes no place. */
export function filledRule(rule: Ceiling, name: string): Ceiling {
  return ruleOf((field, key) => {
    return field.decides === 'what' && field.filled !== undefined ? field.filled(rule[key], name) : rule[key]
  })
}

/** A grant of policy.caps that a rule does not allow, as a capability string, and the key that decides about it. */
export interface BeyondRule {
  readonly grant: string
  readonly key: RuleField<Value>['key']
}

/**
 * None if a rule allows all that is asked for.
 * @param rule filled in for the agent
 */
export function excessOver(rule: Ceiling, caps: Policy): BeyondRule[] {
  // Each value is read once: a hostile policy has a hundred thousand entries.
  const limits = FIELDS.flatMap(([name, field]) =>
    field.decides === 'what' ? { key: field.key, allows: field.allows(rule[name], caps, rule) } : [],
  )
  return [
    // Even "any" does not include a family that this build does not know.
    ...unknownGrants(caps).map(grant => ({ grant, key: allowCaps.key })),
    ...policyGrants(caps).flatMap(grant => {
      const against = limits.find(({ allows }) => !allows(grant))
      return against === undefined ? [] : { grant: grant.text, key: against.key }
    }),
  ]
}

/** The parts of a sentence: what a signer may grant, and to whom. */
export function ruleWords(rule: Ceiling): { readonly what: string; readonly toWhom: string } {
  const words = (decides: RuleField<Value>['decides']) =>
    FIELDS.filter(([, field]) => field.decides === decides).flatMap(
      ([name, field]) => field.shown(rule[name]) || [],
    )
  return { what: words('what').join(', ') || 'nothing', toWhom: words('to whom').join(', ') }
}

/** What one rule allows and another does not, each as what follows on *may grant*. */
export function moreGranted(rule: Ceiling, than: Ceiling): string[] {
  return FIELDS.flatMap(([name, field]) =>
    field.decides === 'what' ? [...field.more(rule[name], than[name], { rule, than })] : [],
  )
}

/** The keys of a rule, and their values as TOML text. */
export function ruleEntries(rule: Ceiling): Readonly<Record<string, string | undefined>> {
  return Object.fromEntries(FIELDS.map(([name, { key, literal }]) => [key, literal(rule[name])]))
}

/** One key of a rule that changes: a list gets more items, any other value is written again. */
type RuleChange = { readonly key: string } & (
  | { readonly append: readonly string[] }
  | { readonly literal: string }
)

export function ruleChanges(was: Ceiling, is: Ceiling): RuleChange[] {
  return FIELDS.flatMap(([name, { key, literal }]): RuleChange | RuleChange[] => {
    const [old, now] = [was[name], is[name]]
    const text = literal(now)
    if (isDeepStrictEqual(old, now) || text === undefined) return []
    const isGrown = Array.isArray(old) && Array.isArray(now)
    return isGrown ? { key, append: now.slice(old.length) as string[] } : { key, literal: text }
  })
}

/** What a rule allows, and more. The agents of a rule that is there are not changed by what is granted to them. */
export function grownRule(old: Ceiling | undefined, request: RuleRequest): Ceiling {
  return ruleOf((field, name) => {
    const was = old === undefined ? field.none : old[name]
    return field.decides === 'what' ? field.grown(was, request[name] ?? field.none, old) : was
  })
}

/** Whether no more is asked for than a rule without any field grants. */
export function asksNothing(request: RuleRequest): boolean {
  return FIELDS.every(
    ([name, { decides, none }]) =>
      decides !== 'what' || request[name] === undefined || isDeepStrictEqual(request[name], none),
  )
}

export function isWide(request: RuleRequest): boolean {
  return FIELDS.some(([name, field]) => request[name] !== undefined && field.isWide(request[name]))
}

/** Exactly what one bundle asks for, for exactly this agent. */
export function ruleAskedBy(caps: Policy, agent: string): Ceiling {
  const grants = policyGrants(caps)
  return ruleOf(field => field.askedBy(grants, agent))
}

/**
 * What a bundle asks for and {@link ruleAskedBy} does not allow.
 * @param there the rule that the agent has already
 */
export function unsaidBy(caps: Policy, there: Ceiling | undefined): Unsaid[] {
  return FIELDS.flatMap(([, field]) => [...field.unsaid(caps, there)])
}
