// Files in memory → a new folder on disk, synced.
import { mkdir, open } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { modeOf } from '../format/archive/header.ts'
import type { WholeFile } from '../format/archive/writer.ts'
import { io } from '../io/fail.ts'
import { syncFolder } from '../io/sync.ts'
import { refuseIfAborted } from '../io/write-atomic.ts'

/**
 * Modes are those of the archive, less the umask.
 * @param folder must not exist; its parent must
 * @param label its name in messages
 * @throws RlpError NO_SPACE, NO_PERMISSION, EXISTS, CANCELLED; the files written so far stay
 */
export async function unpack(
  files: readonly WholeFile[],
  folder: string,
  label: string,
  signal?: AbortSignal,
): Promise<void> {
  await io(`create "${label}"`, () => mkdir(folder, { mode: 0o755 }))
  const folders = new Set([folder])
  for (const { path, content } of files) {
    refuseIfAborted(signal)
    const place = join(folder, path)
    for (let parent = dirname(place); !folders.has(parent); parent = dirname(parent)) folders.add(parent)
    await io(`create "${label}"`, () => mkdir(dirname(place), { recursive: true, mode: 0o755 }))
    await writeNew(place, [content], modeOf(path), `${label}/${path}`)
  }
  for (const one of folders) await syncFolder(one)
}

/** A new file, synced. Its folder is not. */
export async function writeNew(
  path: string,
  chunks: Iterable<Uint8Array>,
  mode: number,
  label: string,
): Promise<void> {
  const doing = `write "${label}"`
  const handle = await io(doing, () => open(path, 'wx', mode))
  try {
    for (const chunk of chunks) await io(doing, () => handle.writeFile(chunk))
    await io(doing, () => handle.sync())
  } finally {
    await handle.close()
  }
}
