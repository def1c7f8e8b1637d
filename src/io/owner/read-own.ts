// A file that decisions are based on → its bytes, if only this user and root decide what it says.

import { RlpError } from '../../model/error.ts'
import { byteLimit } from '../../model/limits.ts'
import { ownMembers } from '../../model/own.ts'
import { MAX_TEXT_BYTES } from '../../text/decode.ts'
import { type OpenFile, openFile, readWhole } from '../read/read-file.ts'
import { refuseForeignFile, refuseForeignLinks, refuseForeignPlaces } from './owner.ts'
import type { Ways } from './ways.ts'

/** How a file is read. */
interface OwnReading {
  /** Bytes. */
  readonly most?: number
  /** A folder above it that has to be reached through nothing of others, also where the file is missing. */
  readonly home?: string | undefined
}

/**
 * The bytes, or undefined if there is no such file.
 * @throws RlpError NO_PERMISSION if others may write the file, replace it, or own a link that leads to it; LIMIT_EXCEEDED
 */
export async function readOwn(
  path: string,
  ways: Ways,
  reading: OwnReading = {},
): Promise<Uint8Array | undefined> {
  const { most = MAX_TEXT_BYTES, home } = ownMembers(reading)
  const file = await openOwn(path, ways, home)
  if (file === undefined) return undefined
  try {
    if (file.size > most) {
      throw new RlpError(
        'LIMIT_EXCEEDED',
        `Cannot rely on "${path}": it has ${file.size} bytes; at most ${byteLimit(most)} are read`,
        { hint: 'Name the file that was meant, or write a shorter one' },
      )
    }
    return await readWhole(file)
  } finally {
    file.handle.close()
  }
}

/**
 * Opens such a file, which the caller closes. Undefined if there is none.
 * @throws RlpError NO_PERMISSION as {@link readOwn}
 */
export async function openOwn(path: string, ways: Ways, home?: string): Promise<OpenFile | undefined> {
  const { own: homeSeen, there } = refuseForeignLinks(path, ways, home)
  const own = home === undefined || homeSeen === undefined ? undefined : { path: home, stats: homeSeen }
  if (there === undefined) {
    if (own !== undefined) refuseForeignPlaces([{ ...own, what: 'folder' }])
    return undefined
  }
  const file = await openFile(path, { follow: true })
  try {
    refuseForeignFile(path, there, file.stats, own)
    return file
  } catch (error) {
    file.handle.close()
    throw error
  }
}
