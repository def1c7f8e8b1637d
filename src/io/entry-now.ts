// What stands at a path, at once: for the places where mostly nothing does. A promise that is refused costs a hundred times as much.
import { lstatSync, type Stats } from 'node:fs'
import { ioError } from './fail.ts'

/**
 * Without following a link; undefined when nothing is there, nor a folder that leads there.
 *
 * @throws RlpError NO_PERMISSION, IO
 */
export function entryNow(path: string): Stats | undefined {
  try {
    return lstatSync(path, { throwIfNoEntry: false })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOTDIR') return undefined
    throw ioError(`read "${path}"`, error)
  }
}
