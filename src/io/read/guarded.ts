// Keeps a service to the folders that it serves. A path is looked at before it is opened, and a user who may write there can put a link in
// its place between the two. So what was opened is compared with its path: nothing below a guarded folder is read through a link.
import { closeSync, fstatSync, lstatSync, readlinkSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { RlpError } from '../../model/error.ts'
import { isSystemError } from '../../model/system-error.ts'

/** Absolute, and without links. Of this thread. */
let guarded: readonly string[] = []

/** From now on, this thread opens nothing through a link below these folders. @param folders absolute, and without links */
export function guardOpens(folders: readonly string[]): void {
  guarded = folders
}

/**
 * Checks that an open file or folder is the one at its path. Call it before reading.
 * @throws RlpError CHANGED_WHILE_READING; then it is closed
 */
export function refuseElsewhere(fd: number, given: string, label: string): void {
  if (guarded.length === 0) return
  const path = resolve(given)
  const above = guarded.find(one => path === one || path.startsWith(one === '/' ? one : `${one}/`))
  if (above === undefined || isAt(fd, path, above)) return
  closeSync(fd)
  throw new RlpError('CHANGED_WHILE_READING', `Cannot read "${label}": a link took the place of a folder`, {
    hint: 'Put the file itself below the folder that is served',
  })
}

function isAt(fd: number, path: string, above: string): boolean {
  try {
    // The kernel's own name of it. Two looks at a path could be led to two places.
    return readlinkSync(`/proc/self/fd/${fd}`) === path
  } catch (error) {
    if (!isSystemError(error)) throw error
  }
  const open = fstatSync(fd, { bigint: true })
  const last = lstatSync(path, { bigint: true, throwIfNoEntry: false })
  if (last?.dev !== open.dev || last.ino !== open.ino) return false
  for (let at = path; at !== above; at = dirname(at)) if (lstatSync(at).isSymbolicLink()) return false
  return true
}
