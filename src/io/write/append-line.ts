// One line → the end of a log to which other processes write too. The log is opened by its name for each line, so that rotating it by a
// rename loses none.
import { closeSync, fstatSync, fsyncSync, readSync, writeSync } from 'node:fs'
import { RlpError } from '../../model/error.ts'
import { ioNow } from '../fail.ts'
import { openLog } from './open-log.ts'

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
