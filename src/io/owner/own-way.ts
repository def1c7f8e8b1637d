// The way to a folder or file that decisions are based on: who may lead it elsewhere.
import { readlinkSync } from 'node:fs'
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
 * @param what `links`: folders may belong to others, as the checkout of a pipeline does
 * @throws RlpError NO_PERMISSION
 */
export function refuseForeignWay(path: string, what: 'all' | 'links' = 'all'): void {
  if (process.getuid === undefined) return
  const { root } = parse(resolve(path))
  const left = segmentsOf(resolve(path))
  let links = 0
  for (let at = root; ; at = join(at, left.shift() ?? '')) {
    const entry = entryOrNothing(at)
    // A circle of links fails where the file is opened.
    if (entry === undefined || links > MOST_LINKS) return
    const isLink = entry.isSymbolicLink()
    if (isLink || (what === 'all' && entry.isDirectory())) {
      const which = at === path ? 'it' : `on the way, "${at}"`
      if (isForeign(entry))
        throw refused(path, `${which} ${isLink ? 'is a link of' : 'belongs to'} another user`)
      if (!isLink && isLoose(entry, 'folder')) {
        const named = at === path ? 'it' : `"${at}" on the way`
        throw refused(path, `others may write ${named}`, `Run chmod go-w ${at}`)
      }
    }
    if (isLink) {
      links += 1
      const target = resolve(
        dirname(at),
        ioNow(`rely on "${path}"`, () => readlinkSync(at)),
      )
      left.unshift(...segmentsOf(target))
      at = root
    }
    if (left.length === 0) return
  }
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
