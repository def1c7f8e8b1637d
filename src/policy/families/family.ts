// The interface of a family of capabilities: everything that is particular to one. A member's file answers all of it, so that nothing else
// asks which family a grant is of.
import type { PolicyOverride } from '../../model/override.ts'
import type { Family, FamilyMembers, GrantOf, Policy, PolicyValue } from '../../model/policy.ts'
import type { RuleTable } from '../../model/trust-table.ts'

/** Why a need is not granted, in the words of the existing runtime. */
export type DenialReason =
  | 'no_hosts'
  | 'http_not_permitted'
  | 'host_not_permitted'
  | 'namespace_not_permitted'
  | 'secret_not_permitted'
  | 'cap_missing'

/** The scheme of the url that names a host. */
export type Scheme = 'http' | 'https' | undefined

/** Why an entry of a list grants nothing: one sentence without a full stop, and the edit that fixes it. */
export interface EntryProblem {
  readonly message: string
  readonly fix: string
  /** The valid entry that was meant, if it can be told; the fix names it. */
  readonly meant?: string
}

/** One grant of policy.caps. */
export interface PolicyGrant {
  readonly family: Family
  /** Undefined for all of the family. */
  readonly scope: string | undefined
  /** As a capability string; `net:allow_http` for plain http, which no list of hosts allows. */
  readonly text: string
  readonly isPlainHttp?: true
}

/** One entry of `[capabilities]`. */
export interface Grant {
  readonly key: Family
  /** An entry of the key's list; `true` for a switch, or for all that a list could name. */
  readonly entry: string | true
  /** The entry is wider only with plain http. */
  readonly allowHttp: boolean
  /** How the entry is written where plain http is allowed: with its port, as a rule of a trust policy needs it. */
  readonly withPort?: string
  /** Equal for grants of which one is enough: `api.mail.example` and `api.mail.example:443`. */
  readonly same: string
}

/** @typeParam V what a policy grants of it */
export interface CapabilityFamily<F extends Family = Family, V = GrantOf<F>> {
  readonly family: F
  readonly member: FamilyMembers[F]
  /** What may follow on the family in a capability string; a switch has no scope. */
  readonly scope: 'none' | 'folder' | 'host' | 'name' | 'program'
  readonly entries: EntriesOf
  readonly table: TableOf<V>
  readonly need: NeedsOf<V>
  readonly override: OverridesOf<V>
  readonly ceiling: CeilingOf
  readonly words: WordsOf
  /** What it opens to the program of a tool, in its narrowest meaning. Undefined if it opens no folder and no host. */
  readonly opens: 'read' | 'write' | 'host' | undefined
  readonly imports: ImportsOf
}

/** The texts that a list of it has. */
interface EntriesOf {
  /** The policy document writes knowledge-base grants with a dot. */
  readonly allowsDot: boolean
  /** Why an entry grants nothing; undefined if it is valid. */
  problem(entry: string): EntryProblem | undefined
  /** What the runtime reads; undefined for an entry that grants nothing. */
  granted(written: string): string | undefined
  /** In the spelling that is compared. */
  spelled(entry: string): string
  /** The path that an entry means: a folder without needless slashes, the first word of a whole command line. */
  plain(entry: string): string
  /** The entry that the author of an invalid one may have meant, such as the host of a url. */
  meant(entry: string): string
}

/** Its key in `[capabilities]`. */
interface TableOf<V> {
  readonly none: V
  /** Few agents have it: it is written only if it grants something. */
  readonly isRare: boolean
  /** `false` is written as `[]`: an override may say either. */
  readonly isListOnly: boolean
  /** From a value that the schema accepts; undefined if there is none. */
  read(value: unknown): V
  written(granted: V): PolicyValue
  /** As it is written first: lists in order, each entry once. */
  sorted(granted: V): V
  /** As the state keeps it. */
  stored(value: unknown, at: string): V
  /** Entry by entry. */
  grants(granted: V): readonly PolicyGrant[]
  /** The line that grants it, with a placeholder for what only the author knows. */
  readonly example: string
}

interface NeedsOf<V> {
  /** The entry that means a need; undefined if none does. */
  entryFor(scope: string | undefined, scheme: Scheme): Omit<Grant, 'key'> | undefined
  /** With more entries, at the end of the list. */
  added(granted: V, grants: readonly Grant[]): V
  /** Returns the name of an entry, the same for each spelling of it. Undefined if the entry grants nothing. */
  nameOf(entry: string | undefined): string | undefined
  /** The families whose entries can grant a need. */
  readonly grantedBy: readonly Family[]
  /** The names of the entries that grant a need: it is granted if a policy has one of them, in one of these families. */
  namesFor(scope: string | undefined, scheme: Scheme): Iterable<string>
  /** Reads a policy once → why it does not grant a need; undefined if it does. Grants are read in their narrowest meaning. */
  denial(policy: Policy): (scope: string | undefined, scheme: Scheme) => DenialReason | undefined
}

/** What an operator's override does to it. An override never grants. */
interface OverridesOf<V> {
  /** Whether an override says anything of it. */
  isSaid({ keys }: PolicyOverride): boolean
  left(policy: Policy, override: PolicyOverride): V
  /** What the override leaves that the policy does not grant: sentences. */
  inVain(policy: Policy, leaves: Policy): readonly string[]
}

/** What a signer's rule says of it. Grants are read in their widest meaning. */
interface CeilingOf {
  /** The field of a rule that decides. */
  readonly field: Exclude<keyof RuleTable, 'agents'>
  /** The place where a grant can take a secret, in the spelling of `secrets_to` that is compared: empty if no rule can name it, undefined if there is none. */
  secretPlace(scope: string | undefined): string | undefined
}

interface WordsOf {
  /** What a grant allows, after the agent's name: `may read the clock`. */
  may(scope: string | undefined): string
  /** What all of the family does, as a box of a picture says it; undefined where the kind says enough. */
  readonly whole: string | undefined
  /** What one of its entries does, before the entry; undefined where the kind says enough. */
  readonly each: string | undefined
  /** How dangerous it is, by the kind of what it reaches. */
  readonly power: 'program' | 'host' | 'secret' | 'write' | 'read' | 'other'
  /** What a changed program of the agent could do with it: `run programs`. Undefined if that needs no review. */
  readonly reach: string | undefined
  /** What lint says of all of the family; undefined if that is no more than an agent may need. */
  readonly broad: BroadWords | undefined
  /** Its names in other systems, as plain names; undefined if it has none. */
  readonly synonyms: string | undefined
}

interface BroadWords {
  /** After `lets the agent`. */
  readonly does: string
  readonly fix: string
}

/** The functions of the host that a WebAssembly module needs it for. */
interface ImportsOf {
  /** Functions of the module `runloop`. */
  readonly runloop: readonly string[]
  /** The names of functions of WASI; undefined if it needs none. */
  readonly wasi: RegExp | undefined
}

/** The families that are granted in the form `V`. */
export type FamiliesOf<V> = {
  [F in Family]: [V, GrantOf<F>] extends [GrantOf<F>, V] ? F : never
}[Family]
