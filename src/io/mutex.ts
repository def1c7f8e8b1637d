// A lock between processes: a file that names its holder, so that the lock of a dead holder can be taken over. The file never exists
// without that name.
import { randomBytes } from 'node:crypto'
import { promises as fs } from 'node:fs'
import { hostname } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { RlpError } from '../model/error.ts'
import { writePath } from '../text/shell-words.ts'
import { io } from './fail.ts'
import { entryAt } from './read/entry.ts'
import { readFile } from './read/read-file.ts'
import { throwIfCancelled } from './wait/breathe.ts'
import { discard, isAlive } from './write/write-atomic.ts'

const WAIT_MS = 10_000
const STEP_MS = 25
/** The longest wait in a queue, as a multiple of the wait for one holder. */
const MAX_WAITS = 12
/** Crashes during the repair of crashes, up to this depth, are repaired. */
const MAX_DEPTH = 3

/**
 * Holds the lock at `path` while `work` runs. Waits for another holder; takes over the lock of a dead one.
 * @param what the work, in the grammar of messages: `sign "…"`
 * @param waitMs how long to wait for one holder; the time starts again with the next holder
 * @throws RlpError EXISTS if the other holder takes too long, CANCELLED
 */
export async function withMutex<T>(
  path: string,
  what: string,
  work: () => Promise<T>,
  signal?: AbortSignal,
  waitMs = WAIT_MS,
): Promise<T> {
  const nonce = newNonce()
  // Before the file exists: a process that reads it has to know that its holder is alive.
  held.add(nonce)
  try {
    await acquire(path, what, nonce, waitMs, signal)
    try {
      await sweep(path, what)
      return await work()
    } finally {
      await remove(path, what)
    }
  } finally {
    held.delete(nonce)
  }
}

/** Clears away the lock of a dead process, if there is one. For callers that find no work to do under it. */
export async function releaseLeft(path: string, what: string, signal?: AbortSignal): Promise<void> {
  const holder = await holderOf(path)
  if (holder !== undefined && (await isLeft(path, holder)))
    await withMutex(path, what, async () => {}, signal)
}

function newNonce(): string {
  return randomBytes(8).toString('hex')
}

async function acquire(
  path: string,
  what: string,
  nonce: string,
  waitMs: number,
  signal: AbortSignal | undefined,
): Promise<void> {
  const last = performance.now() + MAX_WAITS * waitMs
  let deadline = performance.now() + waitMs
  let seen: string | undefined
  while (!(await create(path, what, nonce))) {
    throwIfCancelled(signal, `waiting to ${what}`)
    const holder = await holderOf(path)
    if (holder !== undefined && holder.nonce !== seen) {
      // The queue moves: many short turns are not one holder that hangs.
      seen = holder.nonce
      deadline = Math.min(performance.now() + waitMs, last)
    }
    if (holder !== undefined && (await isLeft(path, holder))) await breakLock(path, what, holder)
    else if (performance.now() > deadline) throw taken(path, what, holder)
    else await new Promise(resolve => setTimeout(resolve, STEP_MS))
  }
}

function taken(path: string, what: string, holder: Holder | undefined): RlpError {
  const who = holder === undefined ? '' : ` (process ${holder.pid} on ${holder.host})`
  return new RlpError('EXISTS', `Cannot ${what}: another rlp${who} is at it`, {
    hint: `Wait until it is done, then run the command again. If no rlp is running, remove ${writePath(path)}`,
  })
}

/**
 * Removes a dead holder's lock. Of all processes that try, one gets the marker for this very lock and checks again. Only the marker's
 * holder may remove a lock of this nonce, so it never removes a newer one. A marker is itself a lock: if its holder dies, it is broken in
 * the same way.
 */
async function breakLock(path: string, what: string, { nonce }: Holder, depth = 0): Promise<void> {
  const marker = `${path}.${nonce}`
  const own = newNonce()
  held.add(own)
  try {
    if (!(await create(marker, what, own))) {
      const other = await holderOf(marker)
      if (other !== undefined && depth < MAX_DEPTH && (await isLeft(marker, other)))
        await breakLock(marker, what, other, depth + 1)
      return
    }
    try {
      if ((await holderOf(path))?.nonce === nonce) await remove(path, what)
    } finally {
      await remove(marker, what)
    }
  } finally {
    held.delete(own)
  }
}

/** Nonces of this process: a lock with its process number and another nonce belongs to an earlier process with that number. */
const held: Set<string> = new Set()

interface Holder {
  readonly pid: number
  readonly host: string
  /** Tells this lock from every other at the same path. */
  readonly nonce: string
}

/**
 * Creates the lock, unless there is one. It is written under another name and then linked, so that no lock exists without a holder: a
 * crash would leave one that only a person could remove.
 */
async function create(path: string, what: string, nonce: string): Promise<boolean> {
  // A waiting process asks many times a second: it should not write each time.
  if (await io(what, () => isThere(path))) return false
  const made = `${path}.${process.pid}-${nonce}`
  const text = `${process.pid} ${nonce} ${hostname()}\n`
  try {
    await io(what, () => fs.writeFile(made, text, { flag: 'wx', mode: 0o600 }))
    return await io(what, () => linked(made, path, text))
  } finally {
    await discard(made)
  }
}

async function isThere(path: string): Promise<boolean> {
  try {
    await fs.lstat(path)
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false
    throw error
  }
}

/** Whether the lock is now ours. */
async function linked(made: string, path: string, text: string): Promise<boolean> {
  try {
    await fs.link(made, path)
    return true
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException
    if (code === 'EEXIST') return false
    // On file systems without links, the lock has no holder for a moment.
    if (!['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS'].includes(code)) throw error
  }
  try {
    await fs.writeFile(path, text, { flag: 'wx', mode: 0o600 })
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false
    throw error
  }
}

/** A number, a nonce and the longest name of a host. */
const MOST_BYTES = 1024

/**
 * Undefined also for a lock without a holder.
 * @throws RlpError WRONG_FILE_TYPE for a link, a pipe or a folder in its place, which are neither followed nor waited for
 */
async function holderOf(path: string): Promise<Holder | undefined> {
  const nothing = () => []
  const bytes = await readFile(path, { follow: false, most: MOST_BYTES, larger: nothing }).catch(error => {
    // Gone, or being written at this moment: a waiting process asks again.
    if (error instanceof RlpError && /^(?:NOT_FOUND|CHANGED_WHILE_READING)$/.test(error.code)) return []
    throw error
  })
  const text = Buffer.from(bytes).toString()
  const [, pid, nonce, host] = /^([0-9]{1,9}) ([0-9a-f]{16}) (.*)\n$/.exec(text) ?? []
  return pid && nonce && host !== undefined ? { pid: Number(pid), nonce, host } : undefined
}

/** Whether a dead process left the lock. It is read a second time, because a process that ended well has removed its lock first. */
async function isLeft(path: string, holder: Holder): Promise<boolean> {
  return isDead(holder) && (await holderOf(path))?.nonce === holder.nonce
}

/** Processes of another host or container cannot be looked up: they count as alive. */
function isDead({ pid, nonce, host }: Holder): boolean {
  if (host !== hostname()) return false
  return pid === process.pid ? !held.has(nonce) : !isAlive(pid)
}

/** Removes what dead processes left beside our lock: drafts of it, and markers of its predecessors. */
async function sweep(path: string, what: string): Promise<void> {
  const prefix = `${basename(path)}.`
  for (const name of await io(what, () => fs.readdir(dirname(path)))) {
    if (!name.startsWith(prefix)) continue
    const place = join(dirname(path), name)
    const pid = /^([0-9]{1,9})-[0-9a-f]{16}$/.exec(name.slice(name.lastIndexOf('.') + 1))?.[1]
    if (pid !== undefined && !isAlive(Number(pid))) await discard(place)
    if (!/^(?:[0-9a-f]{16}\.)*[0-9a-f]{16}$/.test(name.slice(prefix.length))) continue
    if (entryAt(place)?.isFile() !== true) continue
    const holder = await holderOf(place)
    if (holder !== undefined && (await isLeft(place, holder))) await discard(place)
  }
}

async function remove(path: string, what: string): Promise<void> {
  await io(what, () =>
    fs.unlink(path).catch(error => {
      if (error.code !== 'ENOENT') throw error
    }),
  )
}
