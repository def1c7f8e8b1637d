// What was written → on the disk, where a power cut leaves it.
import { type FileHandle, open } from 'node:fs/promises'
import { io } from './fail.ts'

/** So much is on its way to the disk while more is written: syncing all of it at the end would be waiting and nothing else. */
const SYNCED_BYTES = 4 * 1024 * 1024

/** Syncs what was written, one call at a time, in a thread. */
export function syncMeanwhile(handle: FileHandle, doing: string) {
  let waiting = 0
  let syncing: Promise<void> | undefined
  let failure: { readonly error: unknown } | undefined
  const start = async () => {
    try {
      await io(doing, () => handle.datasync())
    } catch (error) {
      // Kept: the system tells a failure once, and the next call would find nothing wrong.
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
 * A rename is durable only when its folder is. File systems that cannot sync a folder say so and lose nothing that was promised.
 *
 * @throws RlpError NO_SPACE, IO: what was written is in place, and may be gone after a power cut
 */
export async function syncFolder(folder: string, label = folder): Promise<void> {
  const doing = `make sure that "${label}" is on the disk`
  const handle = await io(doing, () =>
    open(folder, 'r').catch(error => {
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
