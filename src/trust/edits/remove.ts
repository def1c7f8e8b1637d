// trust remove: a signer and their rule are deleted.
import { RlpError } from '../../model/error.ts'
import { lostWithout } from '../../trust-policy/requirements/index.ts'
import type { EditKind } from './edit.ts'

export interface RemoveChange {
  readonly do: 'remove'
  readonly name: string
}

export const removeEdit: EditKind<RemoveChange> = {
  after(policy, { name }, file) {
    const refuse = (code: 'NOT_FOUND' | 'NOT_EDITABLE', state: string, hint: string) =>
      new RlpError(code, `Cannot remove "${name}" from ${file}: ${state}`, { hint })
    if (policy.anchors.every(anchor => anchor.name !== name))
      throw refuse('NOT_FOUND', 'there is no such anchor', 'rlp trust list shows all')
    const anchors = policy.anchors.filter(anchor => anchor.name !== name)
    const group = policy.groups.find(({ of }) => of.includes(name))
    const lost = group ? `the group ${group.name} names it` : lostWithout(policy.require, name, anchors)
    if (lost !== undefined)
      throw refuse(
        'NOT_EDITABLE',
        lost,
        'Edit that by hand first. To distrust a key, rlp trust revoke is enough',
      )
    return { ...policy, anchors, rules: new Map([...policy.rules].filter(([key]) => key !== name)) }
  },
  places: ({ name }) => [
    { path: ['rules', name], remove: true },
    { path: ['anchors', name], remove: true },
  ],
  about: ({ name }) => [name],
}
