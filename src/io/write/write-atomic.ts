// Writes a file so that it is always either the old one or the new one, also after a power cut. The bytes go to a temporary file beside
// it, whose name holds the process number, so that a later process can remove what a dead one left.
import { promises as fs, renameSync, writeSync } from 'node:fs'
import type { FileHandle } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { RlpError } from '../../model/error.ts'
import { ownMembers } from '../../model/own.ts'
import { isSystemError } from '../../model/system-error.ts'
import { io, ioNow } from '../fail.ts'
import { breathe } from '../wait/breathe.ts'

const GATHERED_BYTES = 512 * 1024

export interface WriteOptions {
  /** Name of the file in messages. */
  readonly label?: string | undefined
  /** The file that is replaced: its mode and owner are kept. Without it the mode is 0666 less the umask. */
  readonly like?: { readonly mode: number; readonly uid: number; readonly gid: number } | undefined
  /** Called with the complete new file, while the old one is still in place. Throwing keeps the old one. */
  readonly before?: ((temporary: string) => Promise<void>) | undefined
  /** Called last, one system call before the rename. Throwing keeps the old one. */
  readonly last?: (() => void) | undefined
  readonly signal?: AbortSignal | undefined
  /** The caller has removed what killed runs left in the folder. Without it, each write lists the folder to do that. */
  readonly isTidied?: boolean
}

/**
 * Writes to a temporary file beside the target, syncs it, and renames it into place. On any failure, and when `signal` aborts, the target
 * is untouched and the temporary file is gone. The next run removes what a killed run left.
 * @throws RlpError NO_PERMISSION, NO_SPACE, NOT_FOUND, CANCELLED
 */
export async function writeAtomic(
  path: string,
  content: Uint8Array | AsyncIterable<Uint8Array>,
  how: WriteOptions = {},
): Promise<void> {
  const options = ownMembers(how)
  const label = options.label ?? path
  const folder = dirname(path)
  if (options.isTidied !== true) await removeLeftovers(folder, basename(path))
  const temporary = join(folder, temporaryName(basename(path)))
  const doing = `write "${label}"`
  const handle = await io(doing, () => fs.open(temporary, 'wx', firstMode(options.like)))
  try {
    try {
      // First: users who may not read the old file must not read the new one while it is written.
      if (options.like) await takeOver(handle, options.like, label)
      await fill(handle, content, doing, options.signal)
      await io(doing, () => handle.sync())
    } finally {
      await handle.close()
    }
    await options.before?.(temporary)
    refuseIfAborted(options.signal)
    await io(doing, async () => {
      options.last?.()
      renameSync(temporary, path)
    })
  } catch (error) {
    await discard(temporary)
    throw error
  }
  await syncFolder(folder)
}

async function fill(
  handle: FileHandle,
  content: Uint8Array | AsyncIterable<Uint8Array>,
  doing: string,
  signal: AbortSignal | undefined,
): Promise<void> {
  const sync = syncMeanwhile(handle, doing)
  const put = async (chunk: Uint8Array) => {
    refuseIfAborted(signal)
    for (let at = 0; at < chunk.length; ) {
      const count = ioNow(doing, () => writeSync(handle.fd, chunk, at, chunk.length - at, null))
      at += count
      sync.wrote(count)
      await breathe()
    }
  }
  try {
    if (content instanceof Uint8Array) await put(content)
    else for await (const chunk of gathered(content)) await put(chunk)
  } finally {
    // The file must stay open while a thread syncs it.
    await sync.end()
  }
  sync.refuseIfFailed()
}

/** Small chunks joined; a large one unchanged. */
async function* gathered(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const buffer = Buffer.allocUnsafe(GATHERED_BYTES)
  let used = 0
  for await (const chunk of chunks) {
    if (used > 0 && used + chunk.length > buffer.length) {
      yield buffer.subarray(0, used)
      used = 0
    }
    if (chunk.length > buffer.length) {
      yield chunk
      continue
    }
    buffer.set(chunk, used)
    used += chunk.length
  }
  if (used > 0) yield buffer.subarray(0, used)
}

/** Without the group's bits if the old file has another group. */
function firstMode(like: WriteOptions['like']): number {
  if (like === undefined) return 0o666
  return like.mode & (like.gid === process.getegid?.() ? 0o777 : 0o707)
}

async function takeOver(
  handle: FileHandle,
  like: NonNullable<WriteOptions['like']>,
  label: string,
): Promise<void> {
  const now = await io(`keep the owner of "${label}"`, () => handle.stat())
  if (now.uid !== like.uid || now.gid !== like.gid)
    await io(`keep the owner of "${label}"`, () => handle.chown(like.uid, like.gid))
  // Last, because a change of owner can clear bits.
  await setMode(handle, like.mode, `keep the mode of "${label}"`)
}

export function refuseIfAborted(signal: AbortSignal | undefined): void {
  if (signal?.aborted) throw new RlpError('CANCELLED', 'Cancelled: nothing was written')
}

/**
 * `.<name>.<mark>-<process>-<12 hex digits>`: hidden, and unique. The maker must still refuse an existing file. The digits separate
 * processes with the same number on machines that share a folder; they need not be secret, so `node:crypto` is not loaded for them.
 */
export function temporaryName(name: string, mark = 'rlp'): string {
  const digits = Math.floor(Math.random() * 2 ** 48).toString(16)
  return `.${name}.${mark}-${process.pid}-${digits.padStart(12, '0')}`
}

/**
 * Removes what dead processes left of a target. A living process keeps its own.
 * @param name of the target; undefined means every one in the folder
 */
export async function removeLeftovers(folder: string, name: string | undefined, mark = 'rlp'): Promise<void> {
  for (const { path, target } of await leftoversIn(folder, mark))
    if (name === undefined || target === name) await discard(path)
}

/** What dead processes left in a folder, each with the name of its target. */
export async function leftoversIn(
  folder: string,
  mark = 'rlp',
): Promise<{ readonly path: string; readonly target: string }[]> {
  return (await io(`write to "${folder}"`, () => fs.readdir(folder))).flatMap(name => {
    const at = name.lastIndexOf(`.${mark}-`)
    const pid = /^([0-9]{1,9})-[0-9a-f]{12}$/.exec(name.slice(at + mark.length + 2))?.[1]
    if (!name.startsWith('.') || at < 1 || pid === undefined || isAlive(Number(pid))) return []
    return [{ path: join(folder, name), target: name.slice(1, at) }]
  })
}

/** Removes a file or a folder of ours. If that fails, the next run removes it: an error here must not hide the first one. */
export async function discard(path: string): Promise<void> {
  try {
    await fs.rm(path, { recursive: true, force: true })
  } catch (error) {
    if (!isSystemError(error)) throw error
  }
}

/** Whether a process of this number runs. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

/** Sync after this many bytes, while more are written: one sync at the end would only be waiting. */
const SYNCED_BYTES = 4 * 1024 * 1024

/** Syncs written bytes, one call at a time, in a thread. */
function syncMeanwhile(handle: FileHandle, doing: string) {
  let waiting = 0
  let syncing: Promise<void> | undefined
  let failure: { readonly error: unknown } | undefined
  const start = async () => {
    try {
      await io(doing, () => handle.datasync())
    } catch (error) {
      // Kept, because the system reports a failure once: the next sync would succeed.
      failure ??= { error }
    }
    syncing = undefined
  }
  return {
    wrote(count: number): void {
      waiting += count
      if (waiting < SYNCED_BYTES || syncing !== undefined) return
      waiting = 0
      syncing = start()
    },
    async end(): Promise<void> {
      await syncing
    },
    refuseIfFailed(): void {
      if (failure !== undefined) throw failure.error
    },
  }
}

/**
 * A rename is durable only after its folder is synced. If a file system cannot sync folders, its error is ignored: it never promised
 * more.
 * @throws RlpError NO_SPACE, IO: the file is in place, but may be gone after a power cut
 */
export async function syncFolder(folder: string, label = folder): Promise<void> {
  const doing = `make sure that "${label}" is on the disk`
  const handle = await io(doing, () =>
    fs.open(folder, 'r').catch(error => {
      if (process.platform === 'win32' || error.code === 'EACCES') return undefined
      throw error
    }),
  )
  if (handle === undefined) return
  try {
    await io(doing, () =>
      handle.sync().catch(error => {
        if (!['EINVAL', 'ENOTSUP', 'EBADF', 'EPERM'].includes(error.code)) throw error
      }),
    )
  } finally {
    await handle.close()
  }
}

/**
 * Sets the mode only if it differs, because `node --permission` refuses chmod.
 * @param mode the lowest twelve bits count
 * @throws RlpError NO_PERMISSION
 */
export async function setMode(handle: FileHandle, mode: number, doing: string): Promise<void> {
  const now = await io(doing, () => handle.stat())
  if ((now.mode & 0o7777) !== (mode & 0o7777)) await io(doing, () => handle.chmod(mode & 0o7777))
}
