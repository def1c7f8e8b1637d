// One at a time: a lock file that says who holds it, and that a dead holder cannot keep.
import { link, open, readFile, rename, unlink } from 'node:fs/promises'
import { RlpError } from '../model/error.ts'
import { io } from './fail.ts'
import { isAlive } from './write-atomic.ts'

const WAIT_MS = 10_000
const STEP_MS = 25

/**
 * Holds the lock at `path` while `work` runs. Waits for another holder up to ten seconds; takes over the lock of one that is dead.
 *
 * @throws RlpError EXISTS when the other one takes too long, CANCELLED
 */
export async function withLock<T>(
  path: string,
  what: string,
  work: () => Promise<T>,
  signal?: AbortSignal,
): Promise<T> {
  await acquire(path, what, signal)
  try {
    return await work()
  } finally {
    await unlink(path).catch(error => {
      if (error.code !== 'ENOENT') throw error
    })
  }
}

async function acquire(path: string, what: string, signal: AbortSignal | undefined): Promise<void> {
  const deadline = performance.now() + WAIT_MS
  while (!(await create(path, what))) {
    if (signal?.aborted) throw new RlpError('CANCELLED', `Cancelled while waiting to ${what}`)
    const holder = await holderOf(path)
    if (holder !== undefined && !isAlive(holder)) await breakLock(path, holder)
    else if (performance.now() > deadline) {
      throw new RlpError(
        'EXISTS',
        `Cannot ${what}: another rlp${holder === undefined ? '' : ` (process ${holder})`} is at it`,
        {
          hint: 'Wait until it is done, then run the command again',
        },
      )
    } else await new Promise(resolve => setTimeout(resolve, STEP_MS))
  }
}

async function create(path: string, what: string): Promise<boolean> {
  const handle = await io(what, () =>
    open(path, 'wx', 0o600).catch(error => {
      if (error.code === 'EEXIST') return undefined
      throw error
    }),
  )
  if (handle === undefined) return false
  try {
    await handle.write(`${process.pid}\n`)
  } finally {
    await handle.close()
  }
  return true
}

/** Undefined also while the holder has not written its number yet. */
async function holderOf(path: string): Promise<number | undefined> {
  const text = await readFile(path, 'utf8').catch(error => {
    if (error.code === 'ENOENT') return ''
    throw error
  })
  const pid = Number(text.trim())
  return Number.isInteger(pid) && pid > 0 ? pid : undefined
}

/** Moves the dead holder’s lock away. Should a living one have taken the place meanwhile, its lock is put back. */
async function breakLock(path: string, dead: number): Promise<void> {
  const aside = `${path}.${process.pid}`
  try {
    await rename(path, aside)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return
    throw error
  }
  if ((await holderOf(aside)) !== dead) {
    await link(aside, path).catch(error => {
      if (error.code !== 'EEXIST') throw error
    })
  }
  await unlink(aside)
}
