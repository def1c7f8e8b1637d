// Checks who may change a file, a folder, or the way to it, before a decision is based on it: only its owner and root. Another user who
// may write a folder above a file, or who owns a link on the way, can replace the file.
import { realpathSync, type Stats, statSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { RlpError } from '../../model/error.ts'
import { writePath } from '../../text/shell-words.ts'
import { ioNow } from '../fail.ts'
import type { Segment, Ways } from './ways.ts'

type Kind = 'file' | 'folder' | 'private folder'

/**
 * A user who may write the file, or replace it, decides what it says.
 * @param doing in the grammar of messages: `rely on "…"`
 * @param loose the places that the hint names
 * @throws RlpError NO_PERMISSION
 */
export function refuseForeign(
  doing: string,
  path: string,
  { uid, mode }: Pick<Stats, 'uid' | 'mode'>,
  what: Kind,
  loose: readonly string[] = [path],
): void {
  if (process.getuid === undefined) return
  if (isForeign({ uid }))
    throw new RlpError('NO_PERMISSION', `Cannot ${doing}: it belongs to another user`, {
      hint: 'It has to belong to you or to root',
    })
  if (isLoose({ mode }, what))
    throw new RlpError('NO_PERMISSION', `Cannot ${doing}: others may write it`, {
      hint: `Run chmod go-w ${loose.map(writePath).join(' ')}`,
    })
}

/** One file and the folders that lead to it. The hint names all that others may write: after a umask of 002 that is each of them. */
export function refuseForeignPlaces(
  places: readonly {
    readonly path: string
    readonly stats: Pick<Stats, 'uid' | 'mode'>
    readonly what: Kind
  }[],
): void {
  const loose = places.filter(({ stats, what }) => isLoose(stats, what)).map(({ path }) => path)
  for (const { path, stats, what } of places) refuseForeign(`rely on "${path}"`, path, stats, what, loose)
}

/** Whether it belongs to another user than this one and root. */
export function isForeign({ uid }: Pick<Stats, 'uid'>): boolean {
  return process.getuid !== undefined && uid !== 0 && uid !== process.getuid()
}

/** Whether others may write it. In a folder with the sticky bit only a file's owner can replace it, but everybody can add files. */
export function isLoose({ mode }: Pick<Stats, 'mode'>, what: Kind): boolean {
  return (mode & 0o022) !== 0 && !(what === 'folder' && (mode & 0o1000) !== 0)
}

/** As systems do. */
const MOST_LINKS = 40

/**
 * Looks at each segment without following it, and at each of those that a link leads through. Another user who owns one, or may replace one,
 * decides what is found at the end, and also that nothing is. What is missing ends the walk.
 *
 * @returns what is at the end; undefined if the walk does not get there, and on a system without users
 * @throws RlpError NO_PERMISSION
 */
export function refuseForeignWay(path: string, ways: Ways): Segment | undefined {
  if (process.getuid === undefined) return undefined
  const { own } = walk(path, path, ways, 'folder')
  if (own !== undefined) refuseLoose(path, path, own)
  return own
}

/**
 * The same, where folders may belong to others, as the checkout of a pipeline does: only links count. The file itself is looked at anew, because
 * it is opened next.
 *
 * @param home a folder above it. Up to there, folders count too.
 * @throws RlpError NO_PERMISSION, and as {@link Ways.file}
 */
export function refuseForeignLinks(path: string, ways: Ways, home?: string): Walked {
  const { own, there } = process.getuid === undefined ? NOTHING_SEEN : walk(path, home, ways, 'file')
  return { own, there: there ?? ways.file(path) }
}

interface Walked {
  /** The folder up to which folders count. Others may still be able to write it. */
  readonly own: Segment | undefined
  /** The file at the path, or a link in its place; also undefined if that was looked at under another path, behind a link. */
  readonly there: Segment | undefined
}

const NOTHING_SEEN: Walked = { own: undefined, there: undefined }

/**
 * Only for a system with users, where paths begin with a slash.
 *
 * @param own the folder up to which folders count: the path itself, or one above it
 * @param what a file is looked at anew
 */
function walk(path: string, own: string | undefined, ways: Ways, what: 'file' | 'folder'): Walked {
  // Cut and not split: a walk mostly asks for what is remembered, and lists of segments cost more than the answers.
  let way = bare(path)
  let end = 0
  const below = own === undefined ? Number.POSITIVE_INFINITY : lengthBelow(bare(own), way)
  let ownSeen: Segment | undefined
  let there: Segment | undefined
  let hasEnded = false
  let isInOwn = true
  let links = 0
  while (true) {
    const at = end === 0 ? '/' : way.slice(0, end)
    const left = way.length - end
    const isEnd: boolean = left === 0 && !hasEnded
    const seen = isEnd && what === 'file' ? ways.file(at) : ways.at(at)
    if (isEnd && at === path) there = seen
    hasEnded ||= isEnd
    if (seen === undefined) return { own: ownSeen, there }
    const isLink = seen.kind === 'link'
    // What a link below it leads through is not its own.
    isInOwn &&= left >= below
    const to = isInOwn && own !== undefined ? own : path
    if ((isLink || (isInOwn && seen.kind === 'folder')) && isForeign(seen)) {
      const which = at === to ? 'it' : `on the way, "${at}"`
      throw refused(to, `${which} ${isLink ? 'is a link of' : 'belongs to'} another user`)
    }
    if (isLink) {
      links += 1
      // A circle of links fails where the file is opened.
      if (links > MOST_LINKS) return { own: ownSeen, there }
      const target = ways.target(at, seen, `rely on "${path}"`)
      const from = target.startsWith('/') ? '' : at.slice(0, at.lastIndexOf('/'))
      way = `${from}/${target}${way.slice(end)}`
      end = 0
      continue
    }
    if (isInOwn && left === below) ownSeen = seen
    else if (isInOwn) refuseLoose(to, at, seen)
    if (left === 0) return { own: ownSeen, there }
    const next = way.indexOf('/', end + 1)
    const stop = next === -1 ? way.length : next
    const segment = way.slice(end + 1, stop)
    if (segment === '..') {
      // As the system does it: up from where links have led, and not from where they are.
      const above = Math.max(0, way.lastIndexOf('/', end - 1))
      way = way.slice(0, end === 0 ? 0 : above) + way.slice(stop)
      end = end === 0 ? 0 : above
    } else if (segment === '.' || segment === '') way = way.slice(0, end) + way.slice(stop)
    else end = stop
  }
}

/** @throws TypeError if the folder is not above the path, because then nothing would count as on the way to it */
function lengthBelow(folder: string, path: string): number {
  if (path === folder || path.startsWith(`${folder}/`)) return path.length - folder.length
  throw new TypeError(`${folder} is not above ${path}`)
}

function refuseLoose(path: string, at: string, seen: Segment): void {
  if (seen.kind !== 'folder' || !isLoose(seen, 'folder')) return
  const named = at === path ? 'it' : `"${at}" on the way`
  throw refused(path, `others may write ${named}`, `Run chmod go-w ${at}`)
}

/** Paths that `resolve` gives back as they are, but copies. */
const IS_RESOLVED = /^(?:\/(?!\.{1,2}(?:\/|$))[^/]+)+$/

/** Absolute, and without a slash at its end: that of the root is empty. */
function bare(path: string): string {
  const whole = IS_RESOLVED.test(path) ? path : resolve(path)
  return whole === '/' ? '' : whole
}

function refused(
  path: string,
  seen: string,
  hint = 'Each folder and link on the way has to belong to you or to root',
): RlpError {
  return new RlpError('NO_PERMISSION', `Cannot rely on "${path}": ${seen}`, { hint })
}

/** A folder that has to be this user's as well, because the file is found through it. */
interface OwnHome {
  readonly path: string
  readonly stats: Pick<Stats, 'uid' | 'mode'>
}

/**
 * Refuses a file that others own or may write, or whose folder they do. Behind a link, that is also the folder that the file itself is in.
 *
 * @param there what is at the path, without following it
 * @param stats of the file itself
 * @throws RlpError NO_PERMISSION
 */
export function refuseForeignFile(
  path: string,
  there: Segment,
  stats: Pick<Stats, 'uid' | 'mode'>,
  home?: OwnHome,
): void {
  const real =
    there.kind === 'link' ? [dirname(ioNow(`rely on "${path}"`, () => realpathSync.native(path)))] : []
  const others = [...new Set([dirname(path), ...real])].filter(folder => folder !== home?.path)
  const folders = others.map(folder => ({
    path: folder,
    stats: ioNow(`rely on "${folder}"`, () => statSync(folder)),
    what: 'folder' as const,
  }))
  const homes = home === undefined ? [] : [{ ...home, what: 'folder' as const }]
  refuseForeignPlaces([{ path, stats, what: 'file' }, ...folders, ...homes])
}
