// A profile + this host → what is mounted, what is covered, and why a program is not started.

import { join } from 'node:path'
import { userHome } from '../io/home.ts'
import { mountedAt, otherUserHint } from '../io/owner/mounted-way.ts'
import { entryOrNothing } from '../io/read/entry.ts'
import { realPathNow } from '../io/read/real-path.ts'
import { searchFolder } from '../io/read/search-folder.ts'
import type { SandboxProfile } from '../model/sandbox.ts'
import { OWN_FOLDER } from './deciding.ts'
import type { Mount, MountRules, NotMounted } from './mount.ts'
import { isWithin, REPOSITORY, START_FILES, withTargets } from './never.ts'
import { nodeMount, programMount } from './program-mount.ts'

/** Names of what is run later by itself, wherever it is. */
const STARTS: ReadonlySet<string> = new Set([REPOSITORY, ...START_FILES.filter(name => !name.includes('/'))])

export interface Cover {
  readonly path: string
  readonly isFolder: boolean
}

export interface Mounts {
  /** The shallower first. */
  readonly mounts: readonly Mount[]
  readonly covers: readonly Cover[]
  /** Those that the closed root does not show. */
  readonly programs: readonly Mount[]
  /** Something that is written may be run later, outside. */
  readonly startsPrograms: boolean
}

/** @param isForwarded Node is started beside the program */
export function mountsOf(
  profile: SandboxProfile,
  command: string,
  rules: MountRules,
  isForwarded = false,
): Mounts | NotMounted {
  const mounts: Mount[] = []
  let startsPrograms = false
  const wanted = [
    ...profile.reads.map(path => ({ path, isWritable: false })),
    ...profile.writes.map(path => ({ path, isWritable: true })),
  ].sort((one, other) => (one.path < other.path ? -1 : 1))
  for (const { path, isWritable } of wanted) {
    const made = mountOf(path, isWritable, rules)
    if ('problem' in made) return made
    mounts.push(made.mount)
    startsPrograms ||= made.startsPrograms
  }
  const program = programMount(command, rules, mounts)
  if (program !== undefined && 'problem' in program) return program
  const node = isForwarded && command !== process.execPath ? nodeMount(rules, mounts) : undefined
  if (node !== undefined && 'problem' in node) return node
  const programs = [program, node].filter(one => one !== undefined)
  const covers = rules.deciding.places.flatMap(path => coverOf(path, mounts))
  return { mounts, covers, programs, startsPrograms }
}

function mountOf(
  path: string,
  isWritable: boolean,
  rules: MountRules,
): { readonly mount: Mount; readonly startsPrograms: boolean } | NotMounted {
  const hint = 'Grant another folder'
  const refuse = (state: string): NotMounted => ({ problem: `the granted "${path}" ${state}`, hint })
  const never =
    path === '/' ? '/' : rules.neverGranted.find(one => isWithin(path, one) || isWithin(one, path))
  if (never !== undefined)
    return refuse(
      never === path ? 'is granted to no program' : `reaches ${never}, which is granted to no program`,
    )
  const { places, unknown } = rules.deciding
  if (unknown !== undefined)
    return {
      problem: `nothing can be granted: "${unknown.path}", which is granted to no program, cannot be looked at (${unknown.code})`,
      hint: 'Let it be reached, or name another place',
    }
  const kept = places.find(one => isWithin(path, one))
  if (kept !== undefined) return refuse(`is in "${kept}", which is granted to no program`)
  if (isWritable) {
    const held = tooMuchToWrite(path, rules)
    if (held !== undefined) return refuse(`may not be written: it ${held}`)
  }
  const found = mountedAt(path, rules.as, isWritable ? 'write' : 'read')
  if (typeof found === 'string')
    return { ...refuse(found), hint: otherUserHint(found, rules.as) ?? wayHint(path, found, hint) }
  const { stats } = found
  if (!stats.isDirectory() && !stats.isFile()) return refuse('is neither a folder nor a file')
  const searched = stats.isDirectory() ? searchFolder(path, STARTS) : { startsPrograms: false }
  if (searched.problem !== undefined) return refuse(searched.problem)
  const startsPrograms = isWritable && (searched.startsPrograms || reachesStartFiles(path))
  return { mount: { path, source: path, isWritable, is: `${stats.dev}:${stats.ino}` }, startsPrograms }
}

function wayHint(path: string, state: string, otherwise: string): string {
  if (state === 'is not there') return 'Make it'
  const real = state.includes(' link') ? realPathNow(path) : undefined
  return real === undefined ? otherwise : `Grant "${real}", to which the link leads`
}

function tooMuchToWrite(path: string, { deciding, programs }: MountRules): string | undefined {
  if (withTargets([userHome()]).includes(path)) return 'is your home'
  const above = deciding.places.find(one => isWithin(one, path))
  if (above !== undefined) return `holds "${above}"`
  if (isWithin(path, OWN_FOLDER)) return 'is in the folder of rlp itself'
  const program = programs.find(one => isWithin(one, path))
  return program === undefined ? undefined : `holds "${program}", which is run`
}

function reachesStartFiles(path: string): boolean {
  if (path.split('/').includes(REPOSITORY)) return true
  const starts = withTargets(START_FILES.map(name => join(userHome(), name)))
  return starts.some(one => isWithin(one, path) || isWithin(path, one))
}

function coverOf(path: string, mounts: readonly Mount[]): readonly Cover[] {
  if (!mounts.some(mount => isWithin(path, mount.path))) return []
  const stats = entryOrNothing(path)
  // Where nothing is, nothing is covered: a program that may write there cannot make others trust it.
  if (stats === undefined || stats.isSymbolicLink()) return []
  return [{ path, isFolder: stats.isDirectory() }]
}
