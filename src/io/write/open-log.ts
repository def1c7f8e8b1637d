// The path of a log → a descriptor to append with, if it is a file that only this user and root decide about.
import { closeSync, constants, fstatSync, fsyncSync, openSync, type Stats, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { RlpError } from '../../model/error.ts'
import { isSystemError } from '../../model/system-error.ts'
import { writePath } from '../../text/shell-words.ts'
import { ioNow } from '../fail.ts'
import { isForeign, isLoose, refuseForeign } from '../owner/owner.ts'
import { entryAt } from '../read/entry.ts'

/** To read its last byte, too. Without O_NONBLOCK, a pipe that takes the place of the log would block. */
const FLAGS =
  constants.O_RDWR | constants.O_APPEND | (constants.O_NONBLOCK ?? 0) | (constants.O_NOFOLLOW ?? 0)

/** Undefined if it was made or removed between two looks at it. */
export function openLog(path: string, label: string): number | undefined {
  const doing = `write to "${label}"`
  const entry = entryAt(path)
  // Before it is opened: opening a device can have an effect.
  if (entry !== undefined) refuseUnsuited(entry, path, doing)
  refuseFolder(dirname(path), doing)
  const fd = opened(path, doing, entry === undefined)
  if (fd === undefined) return undefined
  try {
    const stats = ioNow(doing, () => fstatSync(fd))
    refuseUnsuited(stats, path, doing)
    if (stats.nlink === 0) {
      closeSync(fd)
      return undefined
    }
    if (entry === undefined) syncFolderOf(path, doing)
    return fd
  } catch (error) {
    closeSync(fd)
    throw error
  }
}

function opened(path: string, doing: string, isNew: boolean): number | undefined {
  const flags = isNew ? FLAGS | constants.O_CREAT | constants.O_EXCL : FLAGS
  return ioNow(doing, () => {
    try {
      return openSync(path, flags, 0o600)
    } catch (error) {
      const changed = isNew ? 'EEXIST' : 'ENOENT'
      if (isSystemError(error) && error.code === changed) return undefined
      throw error
    }
  })
}

/** What others may write or replace is no record of anything; and a second name would be another file that is written to. */
function refuseUnsuited(stats: Stats, path: string, doing: string): void {
  const refuse = (state: string, hint: string) =>
    new RlpError('WRONG_FILE_TYPE', `Cannot ${doing}: ${state}`, { hint })
  if (stats.isSymbolicLink()) throw refuse('it is a symbolic link', 'Name the file itself')
  if (!stats.isFile()) throw refuse('it is not a regular file', 'Name a file')
  if (stats.nlink > 1) throw refuse('it has another name, by a hard link', 'Name a file of its own')
  refuseForeign(doing, path, stats, 'file')
}

function refuseFolder(folder: string, doing: string): void {
  if (process.getuid === undefined) return
  const stats = ioNow(doing, () => statSync(folder))
  if (isForeign(stats) || isLoose(stats, 'folder'))
    throw new RlpError('NO_PERMISSION', `Cannot ${doing}: others may write its folder, and replace it`, {
      hint: `Name a file in a folder that only you or root may write, or run chmod go-w ${writePath(folder)}`,
    })
}

/** A new name is on the disk after its folder is synced. */
function syncFolderOf(path: string, doing: string): void {
  if (process.platform === 'win32') return
  ioNow(doing, () => {
    const fd = openSync(dirname(path), constants.O_RDONLY)
    try {
      fsyncSync(fd)
    } catch (error) {
      // Some file systems cannot sync folders.
      if (!isSystemError(error) || !['EINVAL', 'ENOTSUP', 'EBADF', 'EPERM'].includes(error.code)) throw error
    } finally {
      closeSync(fd)
    }
  })
}
