// The interface of a field of [require]: everything that is particular to one. What every field requires has to be there.
import type { LookedInto } from '../../../model/attestation.ts'
import type { Document, Pointer } from '../../../model/document.ts'
import type { RequiredLine, SignerFact } from '../../../model/judged.ts'
import type { Anchor, Requirements } from '../../../model/trust.ts'
import type { TableReader } from '../../toml/closed-table.ts'

/** What a requirement may name. */
export interface OfPolicy {
  readonly document: Document
  readonly anchors: readonly Anchor[]
  /** Names of the anchors that sign. */
  readonly signing: ReadonlySet<string>
}

/** What came with a bundle, under one policy. */
export interface Given {
  readonly signers: readonly SignerFact[]
  /** Names of the anchors that count. */
  readonly counted: readonly string[]
  readonly statements: readonly LookedInto[]
  /** Why the statements could not be read. */
  readonly unread: string | undefined
}

export interface Requirement<V> {
  /** What is required where the field is missing. */
  read(reader: TableReader, value: unknown, at: Pointer, policy: OfPolicy): V
  /** A line for each thing that is required. The first that says no decides. */
  judge(required: V, given: Given, at: Pointer): readonly RequiredLine[]
  /** A part of the line that people read; empty if another field's part says it. */
  shown(required: V, all: Requirements): string
  /** What `[require]` says that cannot be met without an anchor, as a clause; undefined if it can. @param left anchors without it */
  lost(required: V, anchor: string, left: readonly Anchor[]): string | undefined
}
