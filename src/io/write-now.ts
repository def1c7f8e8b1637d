// Bytes → an open descriptor of this process, as far as it takes them without waiting.
import { constants, fstatSync, openSync, writeSync } from 'node:fs'
import { isSystemError } from '../model/system-error.ts'

/**
 * The descriptor by which little can be written to `fd` without waiting for a reader; undefined where there is none: for a terminal, a
 * device, on Windows.
 *
 * A pipe may have been filled by somebody else, so it is opened once more, as one that never waits. A socket is made for one process.
 */
export function withoutWaiting(fd: number): number | undefined {
  if (process.platform === 'win32') return undefined
  const stat = fstatSync(fd)
  if (stat.isFile() || stat.isSocket()) return fd
  if (!stat.isFIFO() || process.platform !== 'linux') return undefined
  try {
    return openSync(`/proc/self/fd/${fd}`, constants.O_WRONLY | constants.O_NONBLOCK)
  } catch (error) {
    // No reader any more, no right to open it, no /proc: the stream knows what to do.
    if (isSystemError(error)) return undefined
    throw error
  }
}

/**
 * @returns what is left: a descriptor that does not wait is full
 * @throws as the system does: EPIPE, ENOSPC and others
 */
export function writeNow(fd: number, bytes: Uint8Array): Uint8Array {
  let at = 0
  try {
    while (at < bytes.length) at += writeSync(fd, bytes, at)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') throw error
  }
  return bytes.subarray(at)
}
