// A file that decisions are based on → its bytes, if only this user and root decide what it says.
import { realpathSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { MAX_TEXT_BYTES } from '../../format/text/decode.ts'
import { RlpError } from '../../model/error.ts'
import { byteLimit } from '../../model/limits.ts'
import { ioNow } from '../fail.ts'
import { entryOrNothing } from '../read/entry.ts'
import { openFile, readWhole } from '../read/read-file.ts'
import { refuseForeignLinks } from './own-way.ts'
import { refuseForeignPlaces } from './owner.ts'

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
  { most = MAX_TEXT_BYTES, home }: OwnReading = {},
): Promise<Uint8Array | undefined> {
  const homeStats = refuseForeignLinks(path, home)
  const homes =
    home === undefined || homeStats === undefined
      ? []
      : [{ path: home, stats: homeStats, what: 'folder' as const }]
  const there = entryOrNothing(path)
  if (there === undefined) {
    refuseForeignPlaces(homes)
    return undefined
  }
  const file = await openFile(path, { follow: true })
  try {
    const doing = `rely on "${path}"`
    const stats = ioNow(doing, () => file.handle.stat())
    // Behind a link, a user who may write the folder of the file itself can replace the file too.
    const real = there.isSymbolicLink() ? [dirname(ioNow(doing, () => realpathSync.native(path)))] : []
    const others = [...new Set([dirname(path), ...real])].filter(folder => folder !== homes[0]?.path)
    const folders = others.map(folder => {
      const stats = ioNow(`rely on "${folder}"`, () => statSync(folder))
      return { path: folder, stats, what: 'folder' as const }
    })
    refuseForeignPlaces([{ path, stats, what: 'file' }, ...folders, ...homes])
    if (file.size > most) {
      throw new RlpError(
        'LIMIT_EXCEEDED',
        `Cannot rely on "${path}": it has ${file.size} bytes; at most ${byteLimit(most)} are read`,
        { hint: 'Name the file that was meant, or write a shorter one' },
      )
    }
    return await readWhole(file, path)
  } finally {
    file.handle.close()
  }
}
