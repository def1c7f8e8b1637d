// A path → what is there, answered synchronously: a rejected promise costs many times as much.
import { lstatSync, type Stats, statSync } from 'node:fs'
import { ioError } from '../fail.ts'

/**
 * Does not follow a link at the end of the path; undefined if nothing is there.
 * @throws RlpError WRONG_FILE_TYPE if a part of the path is a file, NO_PERMISSION, USAGE for a name that is too long, IO
 */
export function entryAt(path: string): Stats | undefined {
  try {
    return lstatSync(path, QUIETLY)
  } catch (cause) {
    throw failed(path, cause)
  }
}

/**
 * The same for a file whose folder may be missing too: undefined also if a part of the path is a file.
 * @throws RlpError NO_PERMISSION, USAGE for a name that is too long, IO
 */
export function entryOrNothing(path: string): Stats | undefined {
  try {
    return lstatSync(path, QUIETLY)
  } catch (cause) {
    if (isBelowFile(cause)) return undefined
    throw failed(path, cause)
  }
}

/** The same, following a link. */
export function targetAt(path: string): Stats | undefined {
  try {
    return statSync(path, QUIETLY)
  } catch (cause) {
    if (isBelowFile(cause)) return undefined
    throw failed(path, cause)
  }
}

const QUIETLY = { throwIfNoEntry: false } as const

function isBelowFile(cause: unknown): boolean {
  return (cause as NodeJS.ErrnoException).code === 'ENOTDIR'
}

function failed(path: string, cause: unknown): unknown {
  return ioError(`look at "${path}"`, cause)
}
