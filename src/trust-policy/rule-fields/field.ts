// The interface of a field of a rule: everything that is particular to one. What a signer may grant is decided by all fields together.
// `{agent}` in a scope stands for the name of an agent (docs/spec/trust-policy.md, K-37). The name is put in after the scope was split at
// its slashes, so that no name reaches beyond its segment.

import { isAgentName } from '../../agent/agent-name.ts'
import type { Pointer } from '../../model/document.ts'
import type { Policy } from '../../model/policy.ts'
import type { Ceiling } from '../../model/trust.ts'
import type { RuleTable } from '../../model/trust-table.ts'
import type { PolicyGrant } from '../../policy/families/family.ts'
import type { TableReader } from '../../toml/closed-table.ts'
import { listLiteral } from '../../toml/write.ts'

/** Why an option cannot be used, as an error. */
export type Refuse = (problem: string, text?: string) => Error

/** How a value is read and written. */
interface FieldValue<V> {
  /** The value of a rule that is new and does not say it. */
  readonly none: V
  /** A value as it is in the file, perhaps undefined. What is wrong with it goes to the reader. */
  read(reader: TableReader, value: unknown, at: Pointer): V
  /** As TOML text; undefined if it is left out. A field that older programs do not know is left out as long as it says nothing. */
  literal(value: V): string | undefined
  /** What was typed after its flag; undefined if nothing was. */
  typed(given: readonly string[] | boolean, refuse: Refuse): V | undefined
  /**
   * What is there, and what is added: never less than one of them.
   * @param there the whole rule that is there; undefined if there is none
   */
  grown(old: V, more: V, there?: Ceiling): V
  /** Whether it allows more than what is named one by one. */
  isWide(value: V): boolean
}

/** What a bundle asks for and the rule that it proposes does not allow. */
export interface Unsaid {
  /** One sentence without a full stop. */
  readonly text: string
  /** Options of `rlp trust add` that allow it; left out if policy.caps has to change. */
  readonly words?: readonly string[]
}

/** Two rules of which the first may allow more. */
export interface RulePair {
  readonly rule: Ceiling
  readonly than: Ceiling
}

interface AnyField<V> extends FieldValue<V> {
  readonly key: keyof RuleTable
  /** How `rlp trust add` asks for it. */
  readonly flag: string
  readonly option:
    | { readonly type: 'strings'; readonly placeholder: string; readonly describe: string }
    | { readonly type: 'boolean'; readonly describe: string }
  /** A part of the sentence on what a signer may grant; empty if it says nothing. */
  shown(value: V): string
  /** Exactly what one bundle asks for. */
  askedBy(grants: readonly PolicyGrant[], agent: string): V
  /**
   * What the bundle asks, and {@link askedBy} does not allow.
   * @param there the rule that the agent has already
   */
  unsaid(caps: Policy, there: Ceiling | undefined): readonly Unsaid[]
}

/** Limits what is granted. */
export interface GrantField<V> extends AnyField<V> {
  readonly decides: 'what'
  /** Says what is wrong beside the other fields of the rule. */
  consistent?(value: V, rule: Ceiling, reader: TableReader, at: Pointer): void
  /** Reads the value once → whether it allows a grant. A field that is not about a grant allows it. @param caps all that is asked for @param rule the whole rule */
  allows(value: V, caps: Policy, rule: Ceiling): (grant: PolicyGrant) => boolean
  /** The value for the agents of one name, which takes the place of `{agent}`. Left out: the field has no such place. */
  filled?(value: V, name: string): V
  /**
   * What the value allows and another does not: what follows on *may grant*. `{agent}` in both is the same name, and may be any.
   */
  more(value: V, than: V, rules: RulePair): readonly string[]
}

/** Limits to which agents the rule applies. */
export interface AgentField<V> extends AnyField<V> {
  readonly decides: 'to whom'
  /**
   * How closely it names an agent: the rule with the highest number is the one for it. Undefined if it does not.
   * @param agent `name` or `name@variant`
   */
  closeness(value: V, agent: string): number | undefined
}

export type RuleField<V> = GrantField<V> | AgentField<V>

/** @param problemOf why a text must not be in the list */
export function textList(problemOf: (text: string) => string | undefined, what?: string) {
  return {
    read: (reader, value, at) => reader.texts(value, at, problemOf, what),
    literal: listLiteral,
    typed(given, refuse) {
      if (!Array.isArray(given) || given.length === 0) return undefined
      for (const text of given as readonly string[]) {
        const problem = problemOf(text)
        if (problem !== undefined) throw refuse(problem, text)
      }
      return given
    },
    none: [],
    grown: (old, more) => [...new Set([...old, ...more])],
    isWide: () => false,
  } as const satisfies FieldValue<readonly string[]>
}

/** `any`, or a list. */
export function anyOrTexts(
  problemOf: (text: string) => string | undefined,
): FieldValue<'any' | readonly string[]> {
  const list = textList(problemOf, 'it must be "any" or a list')
  return {
    none: [],
    read: (reader, value, at) => (value === 'any' ? 'any' : list.read(reader, value, at)),
    literal: value => (value === 'any' ? '"any"' : list.literal(value)),
    typed(given, refuse) {
      if (!Array.isArray(given) || !given.includes('any')) return list.typed(given, refuse)
      if (given.length > 1) throw refuse('"any" excludes other values')
      return 'any'
    },
    grown: (old, more) => (old === 'any' || more === 'any' ? 'any' : list.grown(old, more)),
    isWide: value => value === 'any',
  }
}

const AGENT = '{agent}'

export function hasBrace(text: string): boolean {
  return /[{}]/.test(text)
}

/** Why a scope, or the name of a secret, must not have its braces; undefined if it has none or they are right. */
export function templateProblem(scope: string): string | undefined {
  if (scope.split('/').every(segment => segment === AGENT || !hasBrace(segment))) return undefined
  return 'a brace is allowed only in {agent}, alone between two slashes'
}

/** The scope for one agent. A text that is not the name of an agent could be anything, so it is never put in. */
export function withAgent(scope: string, name: string): string {
  if (!hasBrace(scope) || !isAgentName(name)) return scope
  return scope
    .split('/')
    .map(segment => (segment === AGENT ? name : segment))
    .join('/')
}
