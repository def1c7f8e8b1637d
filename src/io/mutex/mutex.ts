// A lock: a file that names its holder, so that the lock of a dead holder can be taken over.
import { randomBytes } from 'node:crypto'
import { RlpError } from '../../model/error.ts'
import { writePath } from '../../text/shell-words.ts'
import { throwIfCancelled } from '../wait/cancelled.ts'
import { create, type Holder, held, holderOf, isLeft, remove, sweep } from './mutex-file.ts'

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
