// Changes a file while no other rlp does. A second run waits for the lock, and then reads what the first one has written.
import { dirname } from 'node:path'
import { ownMembers } from '../../model/own.ts'
import { releaseLeft, withMutex } from '../mutex.ts'
import { makeOwnFolder, type Owner, ownedBy, type ReadBy } from './own-file.ts'
import { replaceFile } from './replace-file.ts'
import { writeAtomic } from './write-atomic.ts'

/** A file that is read and written under a lock beside it. */
interface LockedFile<Now> {
  /** Absolute, and not a link. */
  readonly path: string
  /** Name of the file in messages; by default its path. */
  readonly label?: string | undefined
  /** In the grammar of messages: `edit ~/.runloop/trust-policy.toml`. */
  readonly doing: string
  /** Reads the newest content, under the lock. */
  readonly read: () => Promise<Now>
  /** Who reads what is written; a missing folder is made for them. Without it the file has the mode of any new file. */
  readonly readBy?: ReadBy | undefined
  /** Whose the file is; by default the user’s. */
  readonly owner?: Owner | undefined
  /** The bytes that were read, of a file that people edit as well: what they have saved since then stays, and so do its mode and owner. */
  readonly edited?: (now: Now) => Uint8Array | undefined
  /** How the name of the lock ends; by default `.lock`. */
  readonly lock?: '.rlp-lock' | undefined
  /** Ends the wait for the lock. */
  readonly signal?: AbortSignal | undefined
  /** How long to wait for one holder of the lock. */
  readonly waitMs?: number | undefined
}

/** Writes new content, whole or not at all. With the signal the write can be cancelled. */
type WriteLocked = (content: string | Uint8Array, signal?: AbortSignal) => Promise<void>

/**
 * Reads a file under its lock, and writes what `change` gives to `write`. If it gives nothing, the file stays as it is.
 * @throws RlpError as `withMutex`, `read` and `writeAtomic`; CHANGED_WHILE_READING if people have edited the file meanwhile
 */
export async function changeFile<Now, T>(
  file: LockedFile<Now>,
  change: (now: Now, write: WriteLocked) => Promise<T>,
): Promise<T> {
  const {
    path,
    label = path,
    doing,
    read,
    readBy,
    owner,
    edited,
    lock = '.lock',
    signal,
    waitMs,
  } = ownMembers(file)
  if (readBy !== undefined) await makeOwnFolder(dirname(path), readBy)
  const work = async () => {
    const now = await read()
    return change(now, async (content, cancel) => {
      const bytes = Buffer.from(content)
      const how = { label, like: readBy && ownedBy(readBy, owner), signal: cancel }
      if (edited === undefined) await writeAtomic(path, bytes, how)
      else await replaceFile(path, bytes, { ...how, before: edited(now) })
    })
  }
  return withMutex(path + lock, doing, work, signal, waitMs)
}

/** Clears away what a killed change left, for a later run that has nothing to change. */
export function tidyChange(path: string, doing: string, signal?: AbortSignal): Promise<void> {
  return releaseLeft(`${path}.lock`, doing, signal)
}
