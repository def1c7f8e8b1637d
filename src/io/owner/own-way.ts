// The way to a folder or file that decisions are based on: who may lead it elsewhere.
import { readlinkSync, type Stats } from 'node:fs'
import { dirname, join, parse, resolve, sep } from 'node:path'
import { RlpError } from '../../model/error.ts'
import { ioNow } from '../fail.ts'
import { entryOrNothing } from '../read/entry.ts'
import { isForeign, isLoose } from './owner.ts'

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
