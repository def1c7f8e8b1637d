// Lines → the end of a file that others may be writing to as well.
import { constants } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { RlpError } from '../model/error.ts'
import { io } from './fail.ts'

/** An open log. The caller closes it. */
export interface LineLog {
  /** One line with its newline, in one write: lines of several writers do not mix. */
  append(line: string): Promise<void>
  /** Cuts off what is behind a place. */
  truncate(bytes: number): Promise<void>
  close(): Promise<void>
}

/**
 * Makes the file where it is not there, for its owner alone.
 *
 * @throws RlpError NO_PERMISSION, NOT_FOUND for its folder, WRONG_FILE_TYPE
 */
export async function openLines(path: string, label: string): Promise<LineLog> {
  const doing = `write to "${label}"`
  // Without O_NONBLOCK a pipe that nobody reads would hold up the call that is to be recorded.
  // A link is not followed: whoever may put one there would choose the file that is written to.
  const flags =
    constants.O_WRONLY |
    constants.O_APPEND |
    constants.O_CREAT |
    (constants.O_NONBLOCK ?? 0) |
    (constants.O_NOFOLLOW ?? 0)
  const handle: FileHandle = await io(doing, () => open(path, flags, 0o600))
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
