// The interface of a field of an anchor: everything that is particular to one. A signature counts only if every field lets it.

import type { Anchor, AnchorUse } from '../../model/anchor.ts'
import type { Pointer } from '../../model/document.ts'
import type { RlpError } from '../../model/error.ts'
import type { NotCounted } from '../../model/report.ts'
import type { Table, TableReader } from '../../toml/closed-table.ts'
import type { Refuse } from '../rule-fields/field.ts'

/** One signature of a key of the anchor. */
export interface Counting {
  /** A bundle is signed, a statement about one is attested. */
  readonly act: AnchorUse
  readonly allowDev: boolean
  /** Undefined: as if no anchor had ended. */
  readonly now: Date | undefined
}

/** What `rlp trust add` says of an anchor. */
export interface AnchorRequest extends Partial<Omit<Anchor, 'name' | 'keys'>> {
  /** An anchor string; undefined changes the rule of an existing anchor. */
  readonly key?: string | undefined
  /** Another key of the same signer, if the anchor exists. */
  readonly isFurtherKey?: boolean
}

/** @param state what was seen */
export type RefuseChange = (code: 'EXISTS' | 'NOT_FOUND', state: string, hint: string) => RlpError

/** Whether the value that lets more count is the new one. */
export type Adverb = 'now' | 'no longer'

export interface AnchorField<V> {
  /** Its keys in the table of the anchor. */
  readonly keys: readonly string[]
  /** @param at the anchor */
  read(reader: TableReader, table: Table, at: Pointer): V
  /** Why a signature does not count; undefined if this field has nothing against it. */
  refuses(value: V, counting: Counting): NotCounted | undefined
  /** For people; empty if there is nothing to say. */
  shown(value: V): string
  /** How a signature counts with one value that does not with the other: what follows on the anchor's name. */
  more(value: V, than: V, adverb: Adverb): readonly string[]
  /** What a new anchor has in the file: keys, and TOML text. Undefined is left out. */
  entries(value: V): Readonly<Record<string, string | undefined>>
  /** Of a new anchor. */
  first(asked: AnchorRequest): V
  /** Of an anchor that is there. It never changes what it is for: what its keys have signed so far would get another meaning. */
  grown(old: V, asked: AnchorRequest, refuse: RefuseChange): V
  /** The options of `rlp trust add`, if it has any of its own. */
  readonly asked: AnchorOptions<V> | undefined
}

interface AnchorOptions<V> {
  /** By their flags. */
  readonly options: Readonly<Record<string, AnchorOption>>
  /** @returns undefined if nothing was typed */
  typed(flag: FlagValues, refuse: (flag: string) => Refuse): V | undefined
}

type AnchorOption =
  | { readonly type: 'boolean'; readonly describe: string }
  | { readonly type: 'string'; readonly placeholder: string; readonly describe: string }
  | {
      readonly type: 'strings'
      readonly choices: readonly string[]
      readonly placeholder: string
      readonly describe: string
    }

/** What was typed, by its flag. */
export type FlagValues = (flag: string) => boolean | string | readonly string[] | undefined
