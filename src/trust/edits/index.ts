// The registry of the kinds of edit of a trust policy: one file and one line each.
import { addEdit } from './add.ts'
import type { EditKind } from './edit.ts'
import { floorEdit } from './floor.ts'
import { groupEdit } from './group.ts'
import { removeEdit } from './remove.ts'
import { requireEdit } from './require.ts'
import { revokeEdit } from './revoke.ts'

/** By the last word of their command. */
const EDITS = {
  add: addEdit,
  remove: removeEdit,
  group: groupEdit,
  require: requireEdit,
  floor: floorEdit,
  revoke: revokeEdit,
}

type ChangeOf<E> = E extends EditKind<infer C> ? C : never

/** A change of a trust policy. */
export type TrustChange = ChangeOf<(typeof EDITS)[keyof typeof EDITS]>

/** The kind of a change. */
export function editOf(change: TrustChange): EditKind<TrustChange> {
  return EDITS[change.do]
}
