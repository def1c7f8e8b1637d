// Files that this program alone writes, for its user, or for every user of the host where root writes them.
import { promises as fs } from 'node:fs'
import { dirname } from 'node:path'
import { io } from '../fail.ts'
import { entryOrNothing, targetAt } from '../read/entry.ts'
import { makeParents } from './make-parents.ts'
import { syncFolder } from './sync.ts'
import { writeAtomic } from './write-atomic.ts'

/** Who reads what is written. */
export type ReadBy = 'its user' | 'everybody'

/** The folder and its parents; what is there keeps its mode. @throws RlpError as `makeParents` */
export async function makeOwnFolder(folder: string, readBy: ReadBy): Promise<void> {
  if (targetAt(folder)?.isDirectory()) return
  await makeParents(folder, readBy === 'everybody' ? 0o755 : 0o700)
  // A umask may have taken away what everybody needs.
  if (readBy === 'everybody') await io(`create the folder "${folder}"`, () => fs.chmod(folder, 0o755))
}

/** Whole or not at all. @throws RlpError as `writeAtomic` */
export async function writeOwnFile(
  path: string,
  bytes: Uint8Array,
  readBy: ReadBy,
  signal?: AbortSignal,
): Promise<void> {
  const mode = readBy === 'everybody' ? 0o644 : 0o600
  const like = { mode, uid: process.getuid?.() ?? 0, gid: process.getgid?.() ?? 0 }
  await writeAtomic(path, bytes, { like, signal })
}

/** A file that is not there is removed already. @throws RlpError NO_PERMISSION, IO */
export async function removeOwnFile(path: string): Promise<void> {
  if (entryOrNothing(path) === undefined) return
  await io(`remove "${path}"`, () => fs.rm(path, { force: true }))
  await syncFolder(dirname(path))
}
