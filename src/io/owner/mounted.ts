// Looks at a folder that is mounted in a sandbox: who could lead the way to it elsewhere, whether the user of the program can go there,
// and what in it no grant of files covers.
import { type Dirent, lstatSync, opendirSync, type Stats } from 'node:fs'
import { join } from 'node:path'
import { isSystemError } from '../../model/system-error.ts'
import { isForeign, isLoose } from './owner.ts'

/** The user and group that a program runs as. */
export interface RunsAs {
  readonly uid: number
  readonly gid: number
}

interface Mounted {
  readonly path: string
  readonly stats: Stats
}

/**
 * Looks at each segment without following it.
 * @returns what is there, or why it is not mounted: a sentence continues after the path
 */
export function mountedAt(path: string, as: RunsAs, wants: 'read' | 'write' | 'run'): Mounted | string {
  const segments = path.split('/').filter(segment => segment !== '')
  let at = ''
  let above: Stats | undefined
  for (const segment of ['', ...segments]) {
    at = at === '/' || at === '' ? `/${segment}` : `${at}/${segment}`
    const stats = statsAt(at)
    if (typeof stats === 'string') return at === path ? stats : `${stats}: "${at}"`
    if (stats.isSymbolicLink()) return at === path ? 'is a link' : `is reached by a link, "${at}"`
    if (above !== undefined && mayReplace(above, stats))
      return `can be replaced by others: they may write the folder that "${at}" is in`
    const isLast = at === path
    if (!isLast && !stats.isDirectory()) return `is below "${at}", which is no folder`
    if (!isLast && !may(stats, as, 0o1)) return `cannot be reached ${byUser(as)}`
    if (isLast && !mayUse(stats, as, wants)) return `may not be ${WORDS[wants]} ${byUser(as)}`
    if (isLast) return { path, stats }
    above = stats
  }
  throw new TypeError('the path has no end')
}

function byUser({ uid }: RunsAs): string {
  return `by the user ${uid}, who the program runs as`
}

/** What to do if the user is in the way, for root, who starts programs as another one; undefined for anybody else. */
export function otherUserHint(state: string, as: RunsAs): string | undefined {
  if (as.uid === process.getuid?.() || !state.endsWith(byUser(as))) return undefined
  return 'Root starts programs as another user: name one that may as sandbox_user in config.toml, under [security], or give it to the user with chown'
}

const WORDS = { read: 'read', write: 'written', run: 'run' } as const

/** Whether another than this user and root could put something else in the place of an entry of a folder. */
function mayReplace(folder: Stats, entry: Stats): boolean {
  if (isForeign(folder)) return true
  if ((folder.mode & 0o022) === 0) return false
  return isLoose(folder, 'folder') || isForeign(entry)
}

function mayUse(stats: Stats, as: RunsAs, wants: 'read' | 'write' | 'run'): boolean {
  if (wants === 'run') return may(stats, as, 0o5) || may(stats, as, 0o1)
  return may(stats, as, (wants === 'read' ? 0o4 : 0o6) | (stats.isDirectory() ? 0o1 : 0))
}

/** By the mode alone: other rules of the system make the start fail. */
function may({ uid, gid, mode }: Stats, as: RunsAs, bits: number): boolean {
  const own = uid === as.uid ? mode >> 6 : gid === as.gid ? mode >> 3 : mode
  return (own & bits) === bits
}

function statsAt(path: string): Stats | string {
  try {
    return lstatSync(path)
  } catch (error) {
    if (!isSystemError(error)) throw error
    return error.code === 'ENOENT' || error.code === 'ENOTDIR'
      ? 'is not there'
      : `cannot be looked at (${error.code})`
  }
}

/** A granted folder of more entries is not searched to its end, and not mounted. */
export const MOST_ENTRIES = 200_000

interface Searched {
  /** Why it is not mounted: a sentence continues after the folder. */
  readonly problem?: string | undefined
  /** Something below it is run later by a shell, a desktop or a repository. */
  readonly startsPrograms: boolean
}

/**
 * Follows no link. Synchronous, so that nothing of this process comes between the search and the start.
 *
 * @param starts names of what is run later by itself
 */
export function searchFolder(
  folder: string,
  starts: ReadonlySet<string>,
  most: number = MOST_ENTRIES,
): Searched {
  let left = most
  let startsPrograms = false
  let problem: string | undefined
  const pending = [folder]
  for (let at = pending.pop(); at !== undefined && problem === undefined; at = pending.pop()) {
    const inside = at
    problem = firstProblem(inside, entry => {
      left -= 1
      if (left < 0) return `has more than ${most} entries, and all are looked at`
      const path = join(inside, entry.name)
      const kind = kindOf(entry)
      if (kind !== undefined) return `holds ${kind}, "${path}"`
      if (starts.has(entry.name)) startsPrograms = true
      if (entry.isDirectory()) pending.push(path)
      return undefined
    })
  }
  return { problem, startsPrograms }
}

/** The first problem that `look` finds with an entry of a folder. Reads entries one by one, because a folder can hold very many. */
function firstProblem(folder: string, look: (entry: Dirent) => string | undefined): string | undefined {
  try {
    const open = opendirSync(folder, { bufferSize: 1024 })
    try {
      for (let entry = open.readSync(); entry !== null; entry = open.readSync()) {
        const problem = look(entry)
        if (problem !== undefined) return problem
      }
    } finally {
      open.closeSync()
    }
  } catch (error) {
    if (!isSystemError(error)) throw error
    // What this user cannot look into, no program of this user can either. As root nothing is closed.
    if (error.code !== 'EACCES' && error.code !== 'ENOENT') throw error
  }
  return undefined
}

function kindOf(entry: Dirent): string | undefined {
  if (entry.isSocket()) return 'a socket'
  if (entry.isFIFO()) return 'a FIFO'
  return entry.isCharacterDevice() || entry.isBlockDevice() ? 'a device' : undefined
}
