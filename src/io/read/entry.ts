// A path → what is there, answered synchronously: a rejected promise costs many times as much.
import { lstatSync, type Stats, statSync } from 'node:fs'
import { ioNow } from '../fail.ts'

/**
 * Does not follow a link at the end of the path; undefined if nothing is there.
 * @throws RlpError WRONG_FILE_TYPE if a part of the path is a file, NO_PERMISSION, USAGE for a name that is too long, IO
 */
export function entryAt(path: string): Stats | undefined {
  return look(path, () => lstatSync(path, { throwIfNoEntry: false }))
}

/**
 * The same for a file whose folder may be missing too: undefined also if a part of the path is a file.
 * @throws RlpError NO_PERMISSION, USAGE for a name that is too long, IO
 */
export function entryOrNothing(path: string): Stats | undefined {
  return look(path, () => unlessBelowFile(() => lstatSync(path, { throwIfNoEntry: false })))
}

/** The same, following a link. */
export function targetAt(path: string): Stats | undefined {
  return look(path, () => unlessBelowFile(() => statSync(path, { throwIfNoEntry: false })))
}

function look(path: string, call: () => Stats | undefined): Stats | undefined {
  return ioNow(`look at "${path}"`, call)
}

function unlessBelowFile<T>(call: () => T): T | undefined {
  try {
    return call()
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOTDIR') return undefined
    throw error
  }
}
