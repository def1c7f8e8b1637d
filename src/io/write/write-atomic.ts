// Bytes → a file that is always whole, either the old one or the new one, whatever happens in between.

import { promises as fs, renameSync, writeSync } from 'node:fs'
import type { FileHandle } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { RlpError } from '../../model/error.ts'
import { ownMembers } from '../../model/own.ts'
import { io, ioNow } from '../fail.ts'
import { breathe } from '../wait/breathe.ts'
import { setMode } from './set-mode.ts'
import { syncFolder, syncMeanwhile } from './sync.ts'
import { discard, removeLeftovers, temporaryName } from './temporary.ts'

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
