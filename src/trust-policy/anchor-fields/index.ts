// The registry of an anchor's fields: one file and one line each. What reads, judges, shows, writes or adds an anchor goes through all of them.

import type { Anchor } from '../../model/anchor.ts'
import type { Pointer } from '../../model/document.ts'
import { ownMembers } from '../../model/own.ts'
import type { NotCounted } from '../../model/report.ts'
import type { Table, TableReader } from '../../toml/closed-table.ts'
import { allowDev } from './allow-dev.ts'
import type { Adverb, AnchorField, AnchorRequest, Counting, RefuseChange } from './field.ts'
import { identity } from './identity.ts'
import { keys } from './keys.ts'
import { until } from './until.ts'
import { use } from './use.ts'

/** In the order in which they are read and written. */
export const ANCHOR_FIELDS = { keys, identity, use, allowDev, until } as const satisfies {
  readonly [F in keyof Omit<Anchor, 'name'>]: AnchorField<Anchor[F]>
}

type Name = keyof typeof ANCHOR_FIELDS
type Value = Anchor[Name]
const FIELDS = Object.entries(ANCHOR_FIELDS) as readonly (readonly [name: Name, field: AnchorField<Value>])[]

function anchorOf(name: string, value: (field: AnchorField<Value>, name: Name) => Value): Anchor {
  const fields = FIELDS.map(([name, field]) => [name, value(field, name)])
  return { name, ...(Object.fromEntries(fields) as unknown as Omit<Anchor, 'name'>) }
}

/** @param table with only known keys, which this checks */
export function readAnchorFields(reader: TableReader, name: string, table: Table, at: Pointer): Anchor {
  reader.closed(
    table,
    FIELDS.flatMap(([, { keys }]) => keys),
    at,
  )
  return anchorOf(name, field => field.read(reader, table, at))
}

/** Why a signature by one of its keys does not count, as long as the key is not revoked; undefined if it counts. */
export function notCounted(anchor: Anchor, counting: Counting): NotCounted | undefined {
  for (const [name, { refuses }] of FIELDS) {
    const why = refuses(anchor[name], counting)
    if (why !== undefined) return why
  }
  return undefined
}

/** The parts of the line about an anchor. */
export function anchorWords(anchor: Anchor): string {
  return FIELDS.flatMap(([name, { shown }]) => shown(anchor[name]) || []).join(', ')
}

/** How signatures of an anchor count that do not with another: each what follows on its name. */
export function moreCounted(anchor: Anchor, than: Anchor, adverb: Adverb): string[] {
  return FIELDS.flatMap(([name, { more }]) => [...more(anchor[name], than[name], adverb)])
}

/** What a new anchor has in the file: keys, and TOML text. */
export function anchorEntries(anchor: Anchor): Readonly<Record<string, string | undefined>> {
  return Object.assign({}, ...FIELDS.map(([name, { entries }]) => entries(anchor[name])))
}

export function newAnchor(name: string, request: AnchorRequest): Anchor {
  return anchorOf(name, field => field.first(ownMembers(request)))
}

export function grownAnchor(old: Anchor, request: AnchorRequest, refuse: RefuseChange): Anchor {
  return anchorOf(old.name, (field, name) => field.grown(old[name], ownMembers(request), refuse))
}
