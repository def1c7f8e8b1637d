// The file of a lock. It never exists without the name of its holder.
import { promises as fs } from 'node:fs'
import { hostname } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { RlpError } from '../../model/error.ts'
import { io } from '../fail.ts'
import { entryAt } from '../read/entry.ts'
import { readFile } from '../read/read-file.ts'
import { discard, isAlive } from '../write/temporary.ts'

/** Nonces of this process: a lock with its process number and another nonce belongs to an earlier process with that number. */
export const held: Set<string> = new Set()

export interface Holder {
  readonly pid: number
  readonly host: string
  /** Tells this lock from every other at the same path. */
  readonly nonce: string
}

/**
 * Creates the lock, unless there is one. It is written under another name and then linked, so that no lock exists without a holder: a
 * crash would leave one that only a person could remove.
 */
export async function create(path: string, what: string, nonce: string): Promise<boolean> {
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
export async function holderOf(path: string): Promise<Holder | undefined> {
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
export async function isLeft(path: string, holder: Holder): Promise<boolean> {
  return isDead(holder) && (await holderOf(path))?.nonce === holder.nonce
}

/** Processes of another host or container cannot be looked up: they count as alive. */
function isDead({ pid, nonce, host }: Holder): boolean {
  if (host !== hostname()) return false
  return pid === process.pid ? !held.has(nonce) : !isAlive(pid)
}

/** Removes what dead processes left beside our lock: drafts of it, and markers of its predecessors. */
export async function sweep(path: string, what: string): Promise<void> {
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

export async function remove(path: string, what: string): Promise<void> {
  await io(what, () =>
    fs.unlink(path).catch(error => {
      if (error.code !== 'ENOENT') throw error
    }),
  )
}
