// A granted folder → what is in it that no grant of files means, and what a program must not change there.
import { type Dirent, opendirSync } from 'node:fs'
import { join } from 'node:path'
import { isSystemError } from '../../model/system-error.ts'

/** A granted folder of more entries is not searched to its end, and not mounted. */
export const MOST_ENTRIES = 200_000

export interface Searched {
  /** Why it is not mounted: a sentence continues after the folder. */
  readonly problem?: string | undefined
  /** Something below it is run later by a shell, a desktop or a repository. */
  readonly startsPrograms: boolean
}

/**
 * Follows no link. Synchronous, so that nothing of this process comes between the search and the start.
 *
 * @param starts names of what is run later by itself
 */
export function searchFolder(
  folder: string,
  starts: ReadonlySet<string>,
  most: number = MOST_ENTRIES,
): Searched {
  let left = most
  let startsPrograms = false
  let problem: string | undefined
  const pending = [folder]
  for (let at = pending.pop(); at !== undefined && problem === undefined; at = pending.pop()) {
    const inside = at
    problem = firstProblem(inside, entry => {
      left -= 1
      if (left < 0) return `has more than ${most} entries, and all are looked at`
      const path = join(inside, entry.name)
      const kind = kindOf(entry)
      if (kind !== undefined) return `holds ${kind}, "${path}"`
      if (starts.has(entry.name)) startsPrograms = true
      if (entry.isDirectory()) pending.push(path)
      return undefined
    })
  }
  return { problem, startsPrograms }
}

/** The first problem that `look` finds with an entry of a folder. Reads entries one by one, because a folder can hold very many. */
function firstProblem(folder: string, look: (entry: Dirent) => string | undefined): string | undefined {
  try {
    const open = opendirSync(folder, { bufferSize: 1024 })
    try {
      for (let entry = open.readSync(); entry !== null; entry = open.readSync()) {
        const problem = look(entry)
        if (problem !== undefined) return problem
      }
    } finally {
      open.closeSync()
    }
  } catch (error) {
    if (!isSystemError(error)) throw error
    // What this user cannot look into, no program of this user can either. As root nothing is closed.
    if (error.code !== 'EACCES' && error.code !== 'ENOENT') throw error
  }
  return undefined
}

function kindOf(entry: Dirent): string | undefined {
  if (entry.isSocket()) return 'a socket'
  if (entry.isFIFO()) return 'a FIFO'
  return entry.isCharacterDevice() || entry.isBlockDevice() ? 'a device' : undefined
}
