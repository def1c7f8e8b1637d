// Creates a folder and its parents. If the write that needs them fails, they are removed again.
import { promises as fs } from 'node:fs'
import { dirname } from 'node:path'
import { RlpError } from '../../model/error.ts'
import { isSystemError } from '../../model/system-error.ts'
import { io } from '../fail.ts'
import { nearLabel } from '../home.ts'
import { targetAt } from '../read/entry.ts'

/** Removes the created folders that are still empty. */
export type Undo = () => Promise<void>

/**
 * @param mode of the created folders, less the umask
 * @throws RlpError NO_PERMISSION, NO_SPACE, WRONG_FILE_TYPE if a file is in the way, NOT_FOUND if a link leads nowhere
 */
export async function makeParents(folder: string, mode = 0o777): Promise<Undo> {
  const there = targetAt(folder)
  const shown = nearLabel(folder)
  // `node --permission` refuses to make even an existing folder.
  if (there?.isDirectory()) return async () => {}
  if (there !== undefined)
    throw new RlpError('WRONG_FILE_TYPE', `Cannot create the folder "${shown}": a file is there`, {
      hint: 'Choose another place, or rename the file',
    })
  const first = await io(`create the folder "${shown}"`, () => fs.mkdir(folder, { recursive: true, mode }))
  return async () => {
    if (first === undefined) return
    for (let made = folder; made.length >= first.length; made = dirname(made)) {
      try {
        await fs.rmdir(made)
      } catch (error) {
        // Another process used or removed the folder: then it is theirs. An empty folder that cannot be removed does no harm, and must
        // not hide the first error.
        if (!isSystemError(error)) throw error
        return
      }
    }
  }
}
