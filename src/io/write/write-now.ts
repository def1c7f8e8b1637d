// Bytes → an open descriptor of this process, as many as it takes without waiting.
import { constants, fstatSync, openSync, writeSync } from 'node:fs'
import { isSystemError } from '../../model/system-error.ts'

/**
 * A descriptor for writing to `fd` without waiting for a reader; undefined if there is none: for a terminal, a device, on Windows.
 *
 * Other processes may share a pipe and have filled it, so it is opened again in non-blocking mode. A socket belongs to one process.
 */
export function withoutWaiting(fd: number): number | undefined {
  if (process.platform === 'win32') return undefined
  const stat = fstatSync(fd)
  if (stat.isFile() || stat.isSocket()) return fd
  if (!stat.isFIFO() || process.platform !== 'linux') return undefined
  try {
    return openSync(`/proc/self/fd/${fd}`, constants.O_WRONLY | constants.O_NONBLOCK)
  } catch (error) {
    // No reader, no right to open it, or no /proc: the stream handles these.
    if (isSystemError(error)) return undefined
    throw error
  }
}

/**
 * @returns the bytes that did not fit
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
