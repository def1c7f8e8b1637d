// Written bytes → safe on the disk, even after a power cut.
import { promises as fs } from 'node:fs'
import type { FileHandle } from 'node:fs/promises'
import { io } from '../fail.ts'

/** Sync after this many bytes, while more are written: one sync at the end would only be waiting. */
const SYNCED_BYTES = 4 * 1024 * 1024

/** Syncs written bytes, one call at a time, in a thread. */
export function syncMeanwhile(handle: FileHandle, doing: string) {
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
