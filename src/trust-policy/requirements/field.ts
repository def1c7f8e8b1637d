// The interface of a field of [require] and [[require]]: everything that is particular to one. What every field requires has to be there.

import type { Anchor, Group } from '../../model/anchor.ts'
import type { LookedInto } from '../../model/attestation.ts'
import type { Pointer } from '../../model/document.ts'
import type { RequiredLine, SignerFact } from '../../model/report.ts'
import type { Requirements, TrustPolicy } from '../../model/trust.ts'
import type { TableReader } from '../../toml/closed-table.ts'

/** What a requirement may name. */
export interface OfPolicy {
  readonly anchors: ReadonlyMap<string, Anchor>
  readonly groups: readonly Group[]
  /** Names of the anchors that sign, and of the groups of them. */
  readonly signing: ReadonlySet<string>
  /** Names of the anchors that attest, and of the groups of them. */
  readonly attesting: ReadonlySet<string>
  /** How many different signers there are. */
  readonly signers: number
}

/** What came with a bundle, under one policy. */
export interface RequirementContext {
  readonly policy: TrustPolicy
  readonly signers: readonly SignerFact[]
  /** The anchors that count, by name. */
  readonly counted: ReadonlyMap<string, Anchor>
  /** When the signatures end. */
  readonly notAfter: string | undefined
  readonly now: Date
  readonly statements: readonly LookedInto[]
  /** Why the statements could not be read. */
  readonly unread: string | undefined
}

/** `[require]` is a table for every agent, `[[require]]` a list of entries. */
export type Form = 'table' | 'entry'

export interface Requirement<V> {
  readonly key: string
  readonly forms: readonly Form[]
  /** What is required where the field is missing. */
  read(reader: TableReader, value: unknown, at: Pointer, policy: OfPolicy): V
  /** A line for each thing that is required. The first that says no decides. */
  judge(required: V, context: RequirementContext, at: Pointer): readonly RequiredLine[]
  /** As TOML text, in an entry that is new; undefined if it is left out. */
  literal(required: V): string | undefined
  /** A part of the line that people read; empty if another field's part says it. */
  shown(required: V, all: Requirements): string
  /**
   * What some entries require and others do not, in words for people: each is met by fewer bundles.
   * @param entries all of them have to hold
   * @param named an anchor or a group in words
   */
  beyond(
    entries: readonly Requirements[],
    than: readonly Requirements[],
    named: (name: string) => string,
  ): readonly string[]
  /** What it says that cannot be met without an anchor, as a clause; undefined if it can. @param left anchors without it */
  lost(required: V, anchor: string, left: readonly Anchor[]): string | undefined
}
