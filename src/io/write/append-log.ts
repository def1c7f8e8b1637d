// Appends lines to logs and traces to which other processes write too. A log has to belong to this user or root, and is opened by its
// name for each line, so that rotating it by a rename loses none.
import {
  closeSync,
  constants,
  promises as fs,
  fstatSync,
  fsyncSync,
  openSync,
  readSync,
  type Stats,
  statSync,
  writeSync,
} from 'node:fs'
import type { FileHandle } from 'node:fs/promises'
import { dirname } from 'node:path'
import { RlpError } from '../../model/error.ts'
import { isSystemError } from '../../model/system-error.ts'
import { writePath } from '../../text/shell-words.ts'
import { io, ioNow } from '../fail.ts'
import { isForeign, isLoose, refuseForeign } from '../owner/owner.ts'
import { entryAt } from '../read/entry.ts'

/** It may be made, removed and renamed by others between two looks at it. */
const MOST_TRIES = 16
const NEWLINE = 0x0a

/**
 * The line is on the disk when this returns. One write: lines of several processes do not mix. A line that another process did not finish
 * is left as it is, and this one begins on a line of its own.
 *
 * @param line with its newline
 * @throws RlpError WRONG_FILE_TYPE, NO_PERMISSION, NOT_FOUND for its folder, NO_SPACE, IO: the line may be there in part
 */
export function appendLine(path: string, label: string, line: string): void {
  const doing = `write to "${label}"`
  for (let tries = 0; tries < MOST_TRIES; tries++) {
    const fd = openLog(path, label)
    if (fd === undefined) continue
    try {
      write(fd, doing, `${isTorn(fd, doing) ? '\n' : ''}${line}`)
      ioNow(doing, () => fsyncSync(fd))
      // Removed meanwhile: what was written is gone with it.
      if (ioNow(doing, () => fstatSync(fd)).nlink > 0) return
    } finally {
      closeSync(fd)
    }
  }
  throw new RlpError('IO', `Cannot ${doing}: it is removed again and again`, {
    hint: 'Rotate it by a rename',
  })
}

/** Makes sure that lines can be appended, before anything happens that has to be recorded. A missing log is made. @throws as above */
export function tryLog(path: string, label: string): void {
  for (let tries = 0; tries < MOST_TRIES; tries++) {
    const fd = openLog(path, label)
    if (fd === undefined) continue
    closeSync(fd)
    return
  }
}

/** Whether the last line has no end. Another process may be at it just now, so the end is looked at more than once. */
function isTorn(fd: number, doing: string): boolean {
  for (let looks = 0; looks < 5; looks++) {
    const { size } = ioNow(doing, () => fstatSync(fd))
    const last = Buffer.alloc(1)
    if (size === 0 || ioNow(doing, () => readSync(fd, last, 0, 1, size - 1)) === 0) return false
    if (last[0] === NEWLINE) return false
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 4)
  }
  return true
}

function write(fd: number, doing: string, text: string): void {
  const bytes = Buffer.from(text)
  // Not continued where the disk became full: the rest would come after a line of another process.
  const count = ioNow(doing, () => writeSync(fd, bytes, 0, bytes.length, null))
  if (count === bytes.length) return
  throw new RlpError('NO_SPACE', `Cannot ${doing}: only ${count} of ${bytes.length} bytes were taken`, {
    hint: 'Free some space or choose another place',
  })
}

/** An open log. The caller closes it. */
export interface LineLog {
  /** One line with its newline, in one write: lines of several writers do not mix. */
  append(line: string): Promise<void>
  /** Cuts the file off at this length. */
  truncate(bytes: number): Promise<void>
  close(): Promise<void>
}

/**
 * Creates a missing file, readable by its owner alone.
 * @throws RlpError NO_PERMISSION, NOT_FOUND for its folder, WRONG_FILE_TYPE
 */
export async function openLines(path: string, label: string): Promise<LineLog> {
  const doing = `write to "${label}"`
  // Without O_NONBLOCK, a pipe without a reader would block the call that is recorded. A link is not followed: its author would choose
  // the file that is written to.
  const flags =
    constants.O_WRONLY |
    constants.O_APPEND |
    constants.O_CREAT |
    (constants.O_NONBLOCK ?? 0) |
    (constants.O_NOFOLLOW ?? 0)
  const handle: FileHandle = await io(doing, () => fs.open(path, flags, 0o600))
  const stat = await io(doing, () => handle.stat())
  if (!stat.isFile()) {
    await handle.close()
    throw new RlpError('WRONG_FILE_TYPE', `Cannot ${doing}: it is not a regular file`, {
      hint: 'Name a file',
    })
  }
  return {
    async append(line) {
      const bytes = Buffer.from(line)
      for (let at = 0; at < bytes.length; ) {
        const { bytesWritten } = await io(doing, () => handle.write(bytes, at, bytes.length - at, null))
        at += bytesWritten
      }
    },
    truncate: bytes => io(doing, () => handle.truncate(bytes)),
    close: () => handle.close(),
  }
}

/** To read its last byte, too. Without O_NONBLOCK, a pipe that takes the place of the log would block. */
const FLAGS =
  constants.O_RDWR | constants.O_APPEND | (constants.O_NONBLOCK ?? 0) | (constants.O_NOFOLLOW ?? 0)

/** Undefined if it was made or removed between two looks at it. */
function openLog(path: string, label: string): number | undefined {
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
