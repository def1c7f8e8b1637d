// What stands at a path, at once: a promise that is refused costs many times as much as being told so.
import { lstatSync, type Stats, statSync } from 'node:fs'
import { ioNow } from './fail.ts'

/**
 * Without following a link at its end; undefined when nothing is there.
 *
 * @throws RlpError WRONG_FILE_TYPE where a part of the path is a file, NO_PERMISSION, USAGE for a name that is too long, IO
 */
export function entryAt(path: string): Stats | undefined {
  return look(path, () => lstatSync(path, { throwIfNoEntry: false }))
}

/**
 * The same for what may be missing with the folder that it belongs in: undefined also where a part of the path is a file.
 *
 * @throws RlpError NO_PERMISSION, USAGE for a name that is too long, IO
 */
export function entryOrNothing(path: string): Stats | undefined {
  return look(path, () => unlessBelowFile(() => lstatSync(path, { throwIfNoEntry: false })))
}

/** The same where a link leads. */
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
