// The families of folders. They decide together: writing includes reading, and an override of one speaks of all.

import type { PolicyOverride } from '../../model/override.ts'
import type { Family, FamilyMembers, Policy } from '../../model/policy.ts'
import { quoteText } from '../../text/quote.ts'
import { isUnder, plainFolder, rootOf, rootsAbove, rootsOf } from '../folder.ts'
import { addedToList, inVain, listTable, PLAIN_ENTRIES } from './entry-lists.ts'
import type { CapabilityFamily, EntryProblem, FamiliesOf } from './family.ts'

type Folders = readonly string[]

interface FolderKind {
  readonly isRare: boolean
  /** The roots that satisfy a need, as a policy grants them. */
  grants(policy: Policy): ReadonlySet<string>
  left(policy: Policy, leaves: Policy): Folders
  /** The families whose folders satisfy a need. */
  readonly grantedBy: readonly Family[]
  readonly may: string
  /** What one of its folders is for, where the power does not say enough. */
  readonly each?: string
  readonly power: 'read' | 'write'
  readonly opens: 'read' | 'write'
  readonly synonyms: string
}

export function foldersOf<F extends FamiliesOf<Folders>>(
  family: F,
  member: FamilyMembers[F],
  kind: FolderKind,
): CapabilityFamily<F, Folders> {
  return {
    family,
    member,
    scope: 'folder',
    entries: { ...PLAIN_ENTRIES, problem, plain: plainFolder },
    table: listTable(family, 'folder', kind.isRare),
    need: {
      // Without a folder the need could be the whole disk, which must not be proposed.
      entryFor: scope =>
        scope !== undefined && /^~?\//.test(scope)
          ? { entry: scope, allowHttp: false, same: scope }
          : undefined,
      added: addedToList,
      nameOf: (entry = '/') => rootOf(entry),
      grantedBy: kind.grantedBy,
      namesFor: (scope = '/') => rootsAbove(scope),
      denial(policy) {
        const roots = kind.grants(policy)
        return scope => (isUnder(roots, scope ?? '/') ? undefined : 'cap_missing')
      },
    },
    override: {
      isSaid: saysFolders,
      left: (policy, override) =>
        saysFolders(override) ? kind.left(policy, override.leaves) : policy[member],
      inVain(policy, leaves) {
        const granted = kind.grants(policy)
        return leaves[member].flatMap(folder => {
          const root = rootOf(folder)
          if (root !== undefined && granted.has(root)) return []
          return inVain(family, quoteText(folder), '; folders are compared as they are written')
        })
      },
    },
    ceiling: { field: 'allow_caps', secretPlace: () => (kind.power === 'write' ? 'fs' : undefined) },
    words: {
      may: scope => `${kind.may} ${scope}`,
      whole: undefined,
      each: kind.each,
      power: kind.power,
      reach: undefined,
      broad: undefined,
      synonyms: kind.synonyms,
    },
    opens: kind.opens,
    // A module uses the folders that the runtime opens beforehand.
    imports: { runloop: [], wasi: undefined },
  }
}

/** The three families count as one: one of them is enough. */
function saysFolders({ keys }: Pick<PolicyOverride, 'keys'>): boolean {
  return keys.has('fs') || keys.has('fs_ro') || keys.has('fs_rw')
}

function problem(entry: string): EntryProblem | undefined {
  const isPlain = !entry.split('/').some(segment => segment === '..' || segment === '.')
  if (/^~?\//.test(entry) && isPlain) return undefined
  return {
    message: `${quoteText(entry)} is not an absolute folder`,
    fix: 'Write an absolute path, or one that begins with ~/, without . and .. segments, backslashes and control characters',
  }
}

/** Folders that may be written. */
export function writable({ fsRw }: Policy): ReadonlySet<string> {
  return rootsOf(fsRw)
}

/** Folders that may be read: writing includes it. */
export function readable({ fs, fsRo, fsRw }: Policy): ReadonlySet<string> {
  return rootsOf([...fs, ...fsRo, ...fsRw])
}

/** Compared by equal root (runloop case `fs-downgrade`). */
export function isAmong(roots: ReadonlySet<string>) {
  return (folder: string) => {
    const root = rootOf(folder)
    return root !== undefined && roots.has(root)
  }
}
