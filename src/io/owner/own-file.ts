// Checks who may change a file, or replace it, before anything is decided by it.
import { realpathSync, type Stats, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { ioNow } from '../fail.ts'
import { refuseForeignPlaces } from './owner.ts'

/** A folder that has to be this user's as well, because the file is found through it. */
export interface OwnHome {
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
