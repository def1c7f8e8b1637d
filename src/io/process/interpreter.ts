// A script → the interpreter that its first line names.
import { closeSync, constants, openSync, readSync } from 'node:fs'
import { isSystemError } from '../../model/system-error.ts'

/** As much of a first line as Linux reads (fs/binfmt_script.c). */
const HEAD_BYTES = 256

/** Undefined for what is no script, and for a file that cannot be read. */
export function interpreterOf(path: string): string | undefined {
  const head = Buffer.alloc(HEAD_BYTES)
  try {
    // A pipe in place of the program must not block.
    const fd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK)
    try {
      readSync(fd, head, 0, HEAD_BYTES, 0)
    } finally {
      closeSync(fd)
    }
  } catch (error) {
    if (isSystemError(error)) return undefined
    throw error
  }
  return /^#![ \t]*([^ \t\r\n\0]+)/.exec(head.toString('latin1'))?.[1]
}
