// Decides which files and folders a sandbox mounts and which it covers, or why a program is not started. Its root holds what every
// program finds, and nothing of the user.
import { dirname, join } from 'node:path'
import { userHome } from '../io/home.ts'
import { mountedAt, otherUserHint, type RunsAs, searchFolder } from '../io/owner/mounted.ts'
import { interpreterOf } from '../io/owner/programs.ts'
import { entryOrNothing } from '../io/read/entry.ts'
import { linkAt, realPathNow } from '../io/read/real-path.ts'
import type { SandboxProfile } from '../model/sandbox.ts'
import {
  isWithin,
  OWN_FOLDER,
  REPOSITORY,
  type ResolvedPlaces,
  START_FILES,
  withTargets,
} from './never-granted.ts'

/** Names of what is run later by itself, wherever it is. */
const STARTS: ReadonlySet<string> = new Set([REPOSITORY, ...START_FILES.filter(name => !name.includes('/'))])

interface Cover {
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

/**
 * Undefined for one that the closed root shows. What leads to it is compared by the file that it leads to.
 *
 * @param mounts the granted folders: a program must not be where it may write
 * @param is what it is called in a refusal
 */
function programMount(
  command: string,
  { root, as }: Pick<MountRules, 'root' | 'as'>,
  mounts: readonly Mount[],
  is = 'the program',
): Mount | NotMounted | undefined {
  const real = realPathNow(command)
  const hint = 'Install it where only root and you may write, for example in /usr/local/bin'
  const refuse = (state: string): NotMounted => ({
    problem: `${is} "${command}" ${state}`,
    hint: otherUserHint(state, as) ?? hint,
  })
  if (real === undefined) return refuse('is not there')
  const runBy = interpreterOf(real)
  if (runBy !== undefined && !isMounted(runBy, root, mounts))
    return {
      problem: `${is} "${command}" is a script for "${runBy}", which it would not find`,
      hint: `Let the tool list fs_ro of the folder that "${runBy}" is installed in, and grant it`,
    }
  if (root.shows(real) && root.shows(dirname(command))) return undefined
  // A link to it may be of this user or root alone.
  const way = command === real ? undefined : dirnameProblem(command, as)
  if (way !== undefined) return refuse(way)
  const found = mountedAt(real, as, 'run')
  if (typeof found === 'string') return refuse(found)
  const { stats } = found
  if (!stats.isFile()) return refuse('is no file')
  if ((stats.mode & 0o022) !== 0) return refuse('may be written by others')
  const isWritten = mounts.some(mount => mount.isWritable && isWithin(real, mount.path))
  if (isWritten) return refuse('is in a folder that it may write')
  return { path: command, source: real, isWritable: false, is: `${stats.dev}:${stats.ino}` }
}

/** The same of Node, which runs the forwarder beside a program that is granted hosts. */
export function nodeMount(
  rules: Pick<MountRules, 'root' | 'as'>,
  mounts: readonly Mount[],
): ReturnType<typeof programMount> {
  return programMount(process.execPath, rules, mounts, 'the forwarder’s Node')
}

/** Also where it leads to. */
function isMounted(path: string, root: ClosedRoot, mounts: readonly Mount[]): boolean {
  return [path, realPathNow(path)].every(
    one => one !== undefined && (root.shows(one) || mounts.some(mount => isWithin(one, mount.path))),
  )
}

function dirnameProblem(command: string, as: RunsAs): string | undefined {
  const folder = realPathNow(dirname(command))
  if (folder === undefined) return 'is not there'
  const found = mountedAt(folder, as, 'read')
  return typeof found === 'string' ? found : undefined
}

interface Mount {
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

interface MountRules {
  readonly root: ClosedRoot
  readonly as: RunsAs
  readonly neverGranted: readonly string[]
  readonly deciding: ResolvedPlaces
  /** Programs of the bundle's tools, folders of PATH, and rlp: no grant to write may hold one. */
  readonly programs: readonly string[]
}

/** Links into /usr, or folders of their own on older systems. */
const BESIDE_USR = ['/bin', '/sbin', '/lib', '/lib32', '/lib64', '/libx32']

/** What programs need in order to start, to find certificates and to tell the time; no account, no host name, no key. */
const OF_ETC = [
  'ld.so.cache',
  'ld.so.conf',
  'ld.so.conf.d',
  'ssl/certs',
  'ssl/openssl.cnf',
  'pki/ca-trust/extracted',
  'ca-certificates',
  'ca-certificates.conf',
  'nsswitch.conf',
  'localtime',
  'alternatives',
].map(name => `/etc/${name}`)

/** Of /usr, what an administrator writes: it may hold passwords. */
const OF_ADMINISTRATORS = '/usr/local/etc'

const DEVICES = ['null', 'full', 'random', 'urandom'].map(name => `/dev/${name}`)

const MB = 1024 * 1024
const TMP_MB = 256
const SHM_MB = 64

interface ClosedRoot {
  /** Arguments of bwrap. */
  readonly args: readonly string[]
  /** Whether a program at this path is there without being bound. */
  shows(path: string): boolean
}

/** @param hidden places that are not shown although they are below /usr, such as install roots */
export function closedRoot(hidden: readonly string[]): ClosedRoot {
  const covered = [OF_ADMINISTRATORS, ...hidden].filter(path => isWithin(path, '/usr') && isNoLink(path))
  const shown = ['/usr', ...BESIDE_USR.filter(path => entryOrNothing(path) !== undefined)]
  return {
    args: [
      ...['--ro-bind', '/usr', '/usr'],
      ...BESIDE_USR.flatMap(besideUsr),
      ...OF_ETC.filter(path => realPathNow(path) !== undefined).flatMap(path => ['--ro-bind', path, path]),
      ...covered.flatMap(path =>
        isFolder(path) ? ['--tmpfs', path, '--remount-ro', path] : ['--ro-bind', '/dev/null', path],
      ),
      ...['--proc', '/proc', '--ro-bind', '/proc/sys', '/proc/sys'],
      // Not bwrap's own: it has /dev/zero, of which shared memory without bound can be made, and terminals.
      ...['--tmpfs', '/dev', ...DEVICES.flatMap(path => ['--dev-bind', path, path])],
      ...['--symlink', '/proc/self/fd', '/dev/fd'],
      ...['stdin', 'stdout', 'stderr'].flatMap((name, fd) => [
        '--symlink',
        `/proc/self/fd/${fd}`,
        `/dev/${name}`,
      ]),
      ...['--perms', '1777', '--size', String(SHM_MB * MB), '--tmpfs', '/dev/shm'],
      ...['--perms', '1777', '--size', String(TMP_MB * MB), '--tmpfs', '/tmp'],
    ],
    shows: path =>
      shown.some(folder => isWithin(path, folder)) && !covered.some(folder => isWithin(path, folder)),
  }
}

function besideUsr(path: string): readonly string[] {
  const link = linkAt(path)
  if (link !== undefined) return ['--symlink', link, path]
  return isFolder(path) ? ['--ro-bind', path, path] : []
}

/** What is behind a link is a place of its own. */
function isNoLink(path: string): boolean {
  return entryOrNothing(path)?.isSymbolicLink() === false
}

function isFolder(path: string): boolean {
  return entryOrNothing(path)?.isDirectory() === true
}
