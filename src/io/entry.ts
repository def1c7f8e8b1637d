// What stands at a path, at once: mostly nothing does, and a promise that is refused costs a hundred times as much as being told so.
import { lstatSync, type Stats, statSync } from 'node:fs'
import { ioError } from './fail.ts'

/**
 * Without following a link; undefined when nothing is there, nor a folder that leads there.
 *
 * @throws RlpError NO_PERMISSION, IO
 */
export function entryAt(path: string): Stats | undefined {
  return ifThere(path, () => lstatSync(path, { throwIfNoEntry: false }))
}

/** The same where a link leads. */
export function targetAt(path: string): Stats | undefined {
  return ifThere(path, () => statSync(path, { throwIfNoEntry: false }))
}

function ifThere(path: string, look: () => Stats | undefined): Stats | undefined {
  try {
    return look()
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOTDIR') return undefined
    throw ioError(`look at "${path}"`, error)
  }
}
