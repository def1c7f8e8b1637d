// The way to a file or folder that is mounted: who could lead it elsewhere, and whether the user that the program runs as can go it.
import { lstatSync, type Stats } from 'node:fs'
import { isSystemError } from '../../model/system-error.ts'
import { isForeign, isLoose } from './owner.ts'

/** The user and group that a program runs as. */
export interface RunsAs {
  readonly uid: number
  readonly gid: number
}

export interface Mounted {
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
