// Looks along a path: where its links lead, so that a file has one lock under all its names; in which of the folders above a file is
// found, as Node looks for packages; and which names a folder holds.
import {
  existsSync,
  promises as fs,
  lstatSync,
  readdirSync,
  readlinkSync,
  realpathSync,
  statSync,
} from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { isSystemError } from '../../model/system-error.ts'
import { io, ioNow } from '../fail.ts'
import { homeLabel } from '../home.ts'
import { entryOrNothing, targetAt } from './entry.ts'

/** The path itself if nothing is there yet. */
export function realPath(path: string, label = path): Promise<string> {
  return io(`look at "${label}"`, () =>
    fs.realpath(path).catch(error => {
      if (error.code === 'ENOENT') return path
      throw error
    }),
  )
}

/** Where a path leads; undefined if nothing is there, or it cannot be reached. */
export function realPathNow(path: string): string | undefined {
  try {
    return realpathSync(path)
  } catch (error) {
    if (isSystemError(error)) return undefined
    throw error
  }
}

/** As many as systems follow. */
const MOST_LINKS = 40

/**
 * Where something at a path is, or would be if it were made: links are followed, also those that lead to nothing yet.
 * @throws the system's error for a way that cannot be looked at, and for a circle of links
 */
export function leadsTo(path: string, links = 0): string {
  const folder = dirname(path)
  if (folder === path) return path
  const at = join(leadsTo(folder, links), basename(path))
  if (!isLinkNow(at)) return at
  if (links >= MOST_LINKS) {
    // The system gives up here as well: this throws its error.
    statSync(at)
    return at
  }
  return leadsTo(resolve(dirname(at), readlinkSync(at)), links + 1)
}

function isLinkNow(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true
  } catch (error) {
    if (isSystemError(error) && error.code === 'ENOTDIR') return false
    throw error
  }
}

/** What a link says, as it is written; undefined for what is no link. */
export function linkAt(path: string): string | undefined {
  return entryOrNothing(path)?.isSymbolicLink()
    ? ioNow(`look at "${path}"`, () => readlinkSync(path))
    : undefined
}

/** At least 1; undefined if it is in none of the folders above. A folder that may not be looked at counts as one without it. */
export function levelsAbove(folder: string, path: string): number | undefined {
  let levels = 1
  for (let above = dirname(folder); !existsSync(join(above, path)); above = dirname(above)) {
    if (above === dirname(above)) return undefined
    levels++
  }
  return levels
}

export function folderNames(folder: string): string[] {
  if (targetAt(folder) === undefined) return []
  return ioNow(`read the folder "${homeLabel(folder)}"`, () => readdirSync(folder)).sort()
}
