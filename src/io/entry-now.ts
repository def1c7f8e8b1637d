// What stands at a path, at once: for the places where mostly nothing does. A promise that is refused costs a hundred times as much.
import { lstatSync, type Stats, statSync } from 'node:fs'
import { ioError } from './fail.ts'

/**
 * Without following a link; undefined when nothing is there, nor a folder that leads there.
 *
 * @throws RlpError NO_PERMISSION, IO
 */
export function entryNow(path: string): Stats | undefined {
  return ifThere(`read "${path}"`, () => lstatSync(path, { throwIfNoEntry: false }))
}

/** The same where a link leads. */
export function targetNow(path: string): Stats | undefined {
  return ifThere(`look at "${path}"`, () => statSync(path, { throwIfNoEntry: false }))
}

function ifThere(doing: string, look: () => Stats | undefined): Stats | undefined {
  try {
    return look()
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOTDIR') return undefined
    throw ioError(doing, error)
  }
}
