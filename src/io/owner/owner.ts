// Checks who may change a file, a folder, or the way to it, before a decision is based on it: only its owner and root. Another user who
// may write a folder above a file, or who owns a link on the way, can replace the file.
import { readlinkSync, realpathSync, type Stats, statSync } from 'node:fs'
import { dirname, join, parse, resolve, sep } from 'node:path'
import { RlpError } from '../../model/error.ts'
import { writePath } from '../../text/shell-words.ts'
import { ioNow } from '../fail.ts'
import { entryOrNothing } from '../read/entry.ts'

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
 * @throws RlpError NO_PERMISSION
 */
export function refuseForeignWay(path: string): void {
  const last = walk(path, path)
  if (last !== undefined) refuseLoose(path, path, last)
}

/**
 * The same, where folders may belong to others, as the checkout of a pipeline does: only links count.
 *
 * @param home a folder above it. Up to there, folders count too.
 * @returns what `home` is, which others may still be able to write; undefined without one
 * @throws RlpError NO_PERMISSION
 */
export function refuseForeignLinks(path: string, home?: string): Stats | undefined {
  return walk(path, home)
}

/** @param own the folder up to which folders count: the path itself, or one above it @returns what that folder is */
function walk(path: string, own: string | undefined): Stats | undefined {
  if (process.getuid === undefined) return undefined
  const { root } = parse(resolve(path))
  const left = segmentsOf(resolve(path))
  const below = own === undefined ? Number.POSITIVE_INFINITY : left.length - segmentsOf(resolve(own)).length
  let last: Stats | undefined
  let isInOwn = true
  let links = 0
  for (let at = root; ; at = join(at, left.shift() ?? '')) {
    const entry = entryOrNothing(at)
    // A circle of links fails where the file is opened.
    if (entry === undefined || links > MOST_LINKS) return last
    const isLink = entry.isSymbolicLink()
    // What a link below it leads through is not its own.
    isInOwn &&= left.length >= below
    const to = isInOwn && own !== undefined ? own : path
    if ((isLink || (isInOwn && entry.isDirectory())) && isForeign(entry)) {
      const which = at === to ? 'it' : `on the way, "${at}"`
      throw refused(to, `${which} ${isLink ? 'is a link of' : 'belongs to'} another user`)
    }
    if (isLink) {
      links += 1
      const target = resolve(
        dirname(at),
        ioNow(`rely on "${path}"`, () => readlinkSync(at)),
      )
      left.unshift(...segmentsOf(target))
      at = root
    } else if (isInOwn && left.length === below) last = entry
    else if (isInOwn) refuseLoose(to, at, entry)
    if (left.length === 0) return last
  }
}

function refuseLoose(path: string, at: string, entry: Stats): void {
  if (!entry.isDirectory() || !isLoose(entry, 'folder')) return
  const named = at === path ? 'it' : `"${at}" on the way`
  throw refused(path, `others may write ${named}`, `Run chmod go-w ${at}`)
}

function segmentsOf(path: string): string[] {
  return path.split(sep).filter(segment => segment !== '')
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
  readonly stats: Stats
}

/**
 * Refuses a file that others own or may write, or whose folder they do. Behind a link, that is also the folder that the file itself is in.
 *
 * @param link what is at the path, without following it
 * @param stats of the file itself
 * @throws RlpError NO_PERMISSION
 */
export function refuseForeignFile(path: string, link: Stats, stats: Stats, home?: OwnHome): void {
  const real = link.isSymbolicLink()
    ? [dirname(ioNow(`rely on "${path}"`, () => realpathSync.native(path)))]
    : []
  const others = [...new Set([dirname(path), ...real])].filter(folder => folder !== home?.path)
  const folders = others.map(folder => ({
    path: folder,
    stats: ioNow(`rely on "${folder}"`, () => statSync(folder)),
    what: 'folder' as const,
  }))
  const homes = home === undefined ? [] : [{ ...home, what: 'folder' as const }]
  refuseForeignPlaces([{ path, stats, what: 'file' }, ...folders, ...homes])
}
