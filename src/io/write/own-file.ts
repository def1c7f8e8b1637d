// Files that this program alone writes, for its user, or for every user of the host where root writes them.
import { promises as fs } from 'node:fs'
import { dirname } from 'node:path'
import { io } from '../fail.ts'
import { entryOrNothing, targetAt } from '../read/entry.ts'
import { makeParents } from './make-parents.ts'
import { syncFolder } from './write-atomic.ts'

/** Who reads what is written. */
export type ReadBy = 'its user' | 'everybody'

/** The folder and its parents; what is there keeps its mode. @throws RlpError as `makeParents` */
export async function makeOwnFolder(folder: string, readBy: ReadBy): Promise<void> {
  if (targetAt(folder)?.isDirectory()) return
  await makeParents(folder, readBy === 'everybody' ? 0o755 : 0o700)
  // A umask may have taken away what everybody needs.
  if (readBy === 'everybody') await io(`create the folder "${folder}"`, () => fs.chmod(folder, 0o755))
}

/** Mode and owner of a file, whatever the umask: the next reader refuses one that others may write. */
export function ownedBy(
  readBy: ReadBy,
  { uid, gid }: Owner = { uid: process.getuid?.() ?? 0, gid: process.getgid?.() ?? 0 },
) {
  return { mode: readBy === 'everybody' ? 0o644 : 0o600, uid, gid }
}

export interface Owner {
  readonly uid: number
  readonly gid: number
}

/** A file that is not there is removed already. @throws RlpError NO_PERMISSION, IO */
export async function removeOwnFile(path: string): Promise<void> {
  if (entryOrNothing(path) === undefined) return
  await io(`remove "${path}"`, () => fs.rm(path, { force: true }))
  await syncFolder(dirname(path))
}
