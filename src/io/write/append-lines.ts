// Lines → the end of a file to which other processes may write at the same time.
import { constants, promises as fs } from 'node:fs'
import type { FileHandle } from 'node:fs/promises'
import { RlpError } from '../../model/error.ts'
import { io } from '../fail.ts'

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
