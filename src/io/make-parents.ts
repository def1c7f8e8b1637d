// A folder and its parents, with a way back: what was made for a write that failed goes again.
import { mkdir, rmdir } from 'node:fs/promises'
import { dirname } from 'node:path'
import { RlpError } from '../model/error.ts'
import { isSystemError } from '../model/system-error.ts'
import { targetAt } from './entry.ts'
import { io } from './fail.ts'

/** Removes the folders that were made, as far as they are still empty. */
export type Undo = () => Promise<void>

/**
 * @param mode of the folders that are made, less the umask
 * @throws RlpError NO_PERMISSION, NO_SPACE, WRONG_FILE_TYPE where a file stands in the way, NOT_FOUND where a link leads nowhere
 */
export async function makeParents(folder: string, mode = 0o777): Promise<Undo> {
  const there = targetAt(folder)
  // Where Node runs with --permission it refuses to make even what is there.
  if (there?.isDirectory()) return async () => {}
  if (there !== undefined) {
    throw new RlpError('WRONG_FILE_TYPE', `Cannot create the folder "${folder}": a file is there`, {
      hint: 'Choose another place, or rename the file',
    })
  }
  const first = await io(`create the folder "${folder}"`, () => mkdir(folder, { recursive: true, mode }))
  return async () => {
    if (first === undefined) return
    for (let made = folder; made.length >= first.length; made = dirname(made)) {
      try {
        await rmdir(made)
      } catch (error) {
        // Somebody else has put something into it or has removed it: then it is theirs. An empty folder that cannot be removed harms
        // nobody, and what went wrong before matters more.
        if (!isSystemError(error)) throw error
        return
      }
    }
  }
}
