// A small file that nobody but its owner may write → its bytes, at once. For what is asked in the middle of a judgement.
import { closeSync, constants, fstatSync, openSync, readSync, statSync } from 'node:fs'
import { RlpError } from '../model/error.ts'
import { ioError } from './fail.ts'
import { refuseForeign } from './owner.ts'

/**
 * @param folders that lead to it, outermost first; nobody else may write them either
 * @param most bytes
 * @returns undefined when the file, or a folder that leads to it, is not there
 * @throws RlpError NO_PERMISSION when others may write file or folders, WRONG_FILE_TYPE for a link, IO
 */
export function readOwnNow(path: string, folders: readonly string[], most: number): Uint8Array | undefined {
  const doing = `rely on "${path}"`
  try {
    for (const folder of folders) {
      const stat = statSync(folder, { throwIfNoEntry: false })
      if (stat === undefined) return undefined
      refuseForeign(`rely on "${folder}"`, folder, stat, 'private folder')
    }
    const flags = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0) | (constants.O_NOFOLLOW ?? 0)
    const file = openSync(path, flags)
    try {
      const stat = fstatSync(file)
      if (!stat.isFile()) throw new RlpError('WRONG_FILE_TYPE', `Cannot ${doing}: it is not a regular file`)
      refuseForeign(doing, path, stat, 'file')
      if (stat.size > most) throw new RlpError('IO', `Cannot ${doing}: it has ${stat.size} bytes`)
      return readAll(file, stat.size)
    } finally {
      closeSync(file)
    }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw ioError(doing, error)
  }
}

/** Files that are only ever replaced by a rename stay, while they are open, as long as they were. */
function readAll(file: number, size: number): Uint8Array {
  const bytes = new Uint8Array(size)
  let at = 0
  while (at < size) {
    const count = readSync(file, bytes, at, size - at, at)
    if (count === 0) break
    at += count
  }
  return bytes.subarray(0, at)
}
