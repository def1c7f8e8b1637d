// One at a time: a lock file that says who holds it, and that a dead holder cannot keep.
import { randomBytes } from 'node:crypto'
import { open, readFile, unlink } from 'node:fs/promises'
import { hostname } from 'node:os'
import { RlpError } from '../model/error.ts'
import { io } from './fail.ts'
import { isAlive } from './write-atomic.ts'

const WAIT_MS = 10_000
const STEP_MS = 25

/** Nonces of this very process: another lock with its number is one of a process that had the number before. */
const held = new Set<string>()

interface Holder {
  readonly pid: number
  readonly host: string
  /** Tells this lock from every other one at the same path. */
  readonly nonce: string
}

/**
 * Holds the lock at `path` while `work` runs. Waits for another holder; takes over the lock of one that is dead.
 *
 * @param what what is done, in the grammar of messages: `sign "…"`
 * @param waitMs how long another holder is waited for
 * @throws RlpError EXISTS when the other one takes too long, CANCELLED
 */
export async function withLock<T>(
  path: string,
  what: string,
  work: () => Promise<T>,
  signal?: AbortSignal,
  waitMs = WAIT_MS,
): Promise<T> {
  const nonce = randomBytes(8).toString('hex')
  // Before the file is there: whoever sees it first has to know that its holder lives.
  held.add(nonce)
  try {
    await acquire(path, what, nonce, performance.now() + waitMs, signal)
    try {
      return await work()
    } finally {
      await remove(path)
    }
  } finally {
    held.delete(nonce)
  }
}

async function acquire(
  path: string,
  what: string,
  nonce: string,
  deadline: number,
  signal: AbortSignal | undefined,
): Promise<void> {
  while (!(await create(path, what, nonce))) {
    if (signal?.aborted) throw new RlpError('CANCELLED', `Cancelled while waiting to ${what}`)
    const holder = await holderOf(path)
    if (holder !== undefined && isDead(holder)) await breakLock(path, what, holder)
    else if (performance.now() > deadline) throw taken(path, what, holder)
    else await new Promise(resolve => setTimeout(resolve, STEP_MS))
  }
}

function taken(path: string, what: string, holder: Holder | undefined): RlpError {
  const who = holder === undefined ? '' : ` (process ${holder.pid} on ${holder.host})`
  return new RlpError('EXISTS', `Cannot ${what}: another rlp${who} is at it`, {
    hint: `Wait until it is done, then run the command again. If no rlp is running, remove ${path}`,
  })
}

async function create(path: string, what: string, nonce: string): Promise<boolean> {
  const handle = await io(what, () =>
    open(path, 'wx', 0o600).catch(error => {
      if (error.code === 'EEXIST') return undefined
      throw error
    }),
  )
  if (handle === undefined) return false
  try {
    await io(what, () => handle.write(`${process.pid} ${nonce} ${hostname()}\n`))
  } catch (error) {
    // A lock that names nobody would stand until somebody removes it.
    await remove(path)
    throw error
  } finally {
    await handle.close()
  }
  return true
}

/** Undefined also while the holder has not written its name yet. */
async function holderOf(path: string): Promise<Holder | undefined> {
  const text = await readFile(path, 'utf8').catch(error => {
    if (error.code === 'ENOENT') return ''
    throw error
  })
  const [, pid, nonce, host] = /^([0-9]{1,9}) ([0-9a-f]{16}) (.*)\n$/.exec(text) ?? []
  return pid && nonce && host !== undefined ? { pid: Number(pid), nonce, host } : undefined
}

/** Processes of another host, or of another container, cannot be looked for: they are taken to live. */
function isDead({ pid, nonce, host }: Holder): boolean {
  if (host !== hostname()) return false
  return pid === process.pid ? !held.has(nonce) : !isAlive(pid)
}

/**
 * Removes a dead holder's lock. Of all who try, one creates the marker for this very lock, and looks again: what it removes can be
 * nobody else's, because only who holds the marker may remove a lock of this nonce.
 */
async function breakLock(path: string, what: string, { nonce }: Holder): Promise<void> {
  const marker = `${path}.${nonce}`
  if (!(await create(marker, what, nonce))) return
  try {
    if ((await holderOf(path))?.nonce === nonce) await remove(path)
  } finally {
    await remove(marker)
  }
}

async function remove(path: string): Promise<void> {
  await unlink(path).catch(error => {
    if (error.code !== 'ENOENT') throw error
  })
}
