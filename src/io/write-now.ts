// Bytes → an open descriptor of this process, as far as it takes them without waiting.
import { fstatSync, writeSync } from 'node:fs'

/** Neither a terminal nor a device that might be one. Windows has its own rules for pipes. */
export function isSimple(fd: number): boolean {
  if (process.platform === 'win32') return false
  const stat = fstatSync(fd)
  return stat.isFile() || stat.isFIFO() || stat.isSocket()
}

/**
 * @returns what is left: a descriptor that does not block is full
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
