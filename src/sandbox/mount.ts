// One mounted file or folder, and what is asked before it is mounted.
import type { RunsAs } from '../io/owner/mounted-way.ts'
import type { ClosedRoot } from './closed-root.ts'
import type { ResolvedPlaces } from './deciding.ts'

export interface Mount {
  /** The same inside and outside. */
  readonly path: string
  readonly source: string
  readonly isWritable: boolean
  /** `device:inode`, by which the mounted thing is compared before the program starts. */
  readonly is: string
}

/** A sentence: why the program is not started, and the edit that mends it. */
export interface NotMounted {
  readonly problem: string
  readonly hint: string
}

export interface MountRules {
  readonly root: ClosedRoot
  readonly as: RunsAs
  readonly neverGranted: readonly string[]
  readonly deciding: ResolvedPlaces
  /** Programs of the bundle's tools, folders of PATH, and rlp: no grant to write may hold one. */
  readonly programs: readonly string[]
}
