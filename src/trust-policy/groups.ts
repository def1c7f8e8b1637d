// The table [groups] of a trust policy: anchors of which so many have to count (docs/spec/trust-policy.md, K-19 to K-21).

import { ANCHOR_USES, type Anchor, type AnchorUse, type Group } from '../model/anchor.ts'
import type { Pointer } from '../model/document.ts'
import type { TableReader } from '../toml/closed-table.ts'
import { isAnchorName } from './anchors.ts'
import { countSigners } from './signers.ts'

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
