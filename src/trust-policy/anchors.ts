// The tables [anchors] and [groups] of a trust policy: signers, their keys, what their signatures are for, and how many of a group have to
// count (docs/spec/trust-policy.md, K-8 to K-13 and K-19 to K-21). Signers are counted, never names: the keys of one anchor are one signer,
// and so are all identities of one repository, person or subject (docs/spec/judging.md, J-12).
import { ANCHOR_USES, type Anchor, type AnchorUse, type Group } from '../model/anchor.ts'
import type { Pointer } from '../model/document.ts'
import { isTable } from '../model/own.ts'
import type { TableReader } from '../toml/closed-table.ts'
import { newAnchor, readAnchorFields } from './anchor-fields/index.ts'
import { refuseAlike } from './identity-members.ts'

const ANCHOR_NAME = /^[A-Za-z0-9_-]{1,64}$/

export function isAnchorName(text: string): boolean {
  return ANCHOR_NAME.test(text)
}

/** Whether the keys of an anchor sign bundles. */
/** The anchors of some names, by name. */
export function anchorsNamed(
  anchors: readonly Anchor[],
  names: readonly string[],
): ReadonlyMap<string, Anchor> {
  const wanted = new Set(names)
  return new Map(anchors.flatMap(one => (wanted.has(one.name) ? [[one.name, one]] : [])))
}

export function maySign({ use }: Anchor): boolean {
  return use.includes('sign')
}

export function readAnchors(reader: TableReader, value: unknown): Anchor[] {
  const anchors = Object.entries(reader.table(value, ['anchors'])).map(([name, one]) =>
    readAnchorTable(reader, name, one),
  )
  refuseSharedKeys(reader, anchors)
  refuseAlike(reader, anchors)
  return anchors
}

function readAnchorTable(reader: TableReader, name: string, value: unknown): Anchor {
  const at = ['anchors', name]
  if (!isAnchorName(name)) reader.wrong(at, 'an anchor’s name has letters, digits, _ and - only', 'key')
  if (typeof value === 'string') return { ...newAnchor(name, {}), keys: reader.keys(value, at) }
  const table = reader.table(value, at, 'an anchor is a key, or a table with key or keys')
  if (!isTable(value)) return { ...newAnchor(name, {}), keys: [] }
  return readAnchorFields(reader, name, table, at)
}

/** One key under two anchors could be counted as two people. */
function refuseSharedKeys(reader: TableReader, anchors: readonly Anchor[]): void {
  const owner = new Map<string, string>()
  for (const { name, keys } of anchors) {
    for (const key of keys) {
      const other = owner.get(key)
      if (other !== undefined) reader.wrong(['anchors', name], `its key is under ${other} already`)
      owner.set(key, name)
    }
  }
}

export function readGroups(
  reader: TableReader,
  value: unknown,
  anchors: ReadonlyMap<string, Anchor>,
): Group[] {
  const table = reader.table(value, ['groups'])
  return Object.entries(table).map(([name, one]) => {
    const at = ['groups', name]
    if (!isAnchorName(name)) reader.wrong(at, 'a group’s name has letters, digits, _ and - only', 'key')
    else if (anchors.has(name)) reader.wrong(at, `${name} is an anchor already: choose another name`, 'key')
    return readGroup(reader, name, one, anchors, at, table)
  })
}

function readGroup(
  reader: TableReader,
  name: string,
  value: unknown,
  anchors: ReadonlyMap<string, Anchor>,
  at: Pointer,
  groups: object,
): Group {
  const table = reader.table(value, at, 'a group is a table with of and at_least')
  reader.closed(table, ['of', 'at_least'], at)
  const of = reader.texts(table['of'], [...at, 'of'], one => {
    if (anchors.has(one)) return undefined
    return Object.hasOwn(groups, one) ? 'it is a group; a group has anchors only' : 'it is no anchor'
  })
  if (table['of'] === undefined) reader.wrong(at, 'it does not say of whom: of = ["…"]')
  if (new Set(of).size !== of.length) reader.wrong([...at, 'of'], 'an anchor appears twice')
  const members = of.flatMap(one => anchors.get(one) ?? [])
  if (members.length > 0 && commonUses(members).length === 0)
    reader.wrong([...at, 'of'], 'some of its anchors only sign and some only attest, so it never counts')
  if (table['at_least'] === undefined) reader.wrong(at, 'it does not say how many: at_least = 2')
  const atLeast = reader.count(table['at_least'], [...at, 'at_least'])
  const most = countSigners(members)
  // A threshold that cannot be met would mean "nothing is trusted" by accident.
  if (atLeast > most && Array.isArray(table['of']))
    reader.wrong([...at, 'at_least'], `it has only ${most === 1 ? '1 signer' : `${most} signers`}`)
  return { name, of, atLeast }
}

/** What all of them are for. */
function commonUses(members: readonly Anchor[]): readonly AnchorUse[] {
  return ANCHOR_USES.filter(use => members.every(anchor => anchor.use.includes(use)))
}

/** The names of the anchors that are for something, and of the groups of them alone. */
export function namedFor(
  use: AnchorUse,
  anchors: ReadonlyMap<string, Anchor>,
  groups: readonly Group[],
): ReadonlySet<string> {
  const isFor = (name: string) => anchors.get(name)?.use.includes(use) === true
  return new Set([
    ...[...anchors.keys()].filter(isFor),
    ...groups.filter(({ of }) => of.every(isFor)).map(({ name }) => name),
  ])
}

/** Equal for anchors that are one signer. */
function signerOf({ name, identity }: Anchor): string {
  if (identity === undefined) return name
  const { issuer, repository_id, email, subject } = identity
  return JSON.stringify([issuer, repository_id, email, subject])
}

/** How many different signers there are. */
export function countSigners(anchors: readonly Anchor[]): number {
  return new Set(anchors.map(signerOf)).size
}

/** Whether enough different signers of a group are among these anchors. */
export function isMet({ of, atLeast }: Group, among: ReadonlyMap<string, Anchor>): boolean {
  return countSigners(of.flatMap(name => among.get(name) ?? [])) >= atLeast
}
