// trust group: signers of whom enough have to count. A group that is there gets more signers, and another number.
import type { Group } from '../../model/anchor.ts'
import { RlpError } from '../../model/error.ts'
import { listLiteral, tableLiteral } from '../../toml/write.ts'
import type { EditKind } from './edit.ts'

export interface GroupChange {
  readonly do: 'group'
  readonly group: Group
}

export const groupEdit: EditKind<GroupChange> = {
  after(policy, { group: { name, of, atLeast } }, file) {
    if (policy.anchors.some(anchor => anchor.name === name))
      throw new RlpError('EXISTS', `Cannot add the group "${name}" to ${file}: it is a signer already`, {
        hint: 'Choose another name',
      })
    const old = policy.groups.find(group => group.name === name)
    const group = { name, of: [...new Set([...(old?.of ?? []), ...of])], atLeast }
    const groups =
      old === undefined ? [...policy.groups, group] : policy.groups.map(one => (one === old ? group : one))
    return { ...policy, groups }
  },
  places({ group: { name } }, { before, after }) {
    const old = before.groups.find(group => group.name === name)
    const now = after.groups.find(group => group.name === name)
    if (now === undefined) return []
    const path = ['groups', name]
    const atLeast = String(now.atLeast)
    if (old === undefined)
      return [{ path, literal: tableLiteral({ of: listLiteral(now.of), at_least: atLeast }) }]
    const added = now.of.slice(old.of.length)
    return [
      ...(added.length === 0 ? [] : [{ path: [...path, 'of'], append: added }]),
      ...(old.atLeast === now.atLeast ? [] : [{ path: [...path, 'at_least'], literal: atLeast }]),
    ]
  },
  about: ({ group: { name, of } }) => [name, ...of],
}
