// A verified archive on disk → a new folder, synced. Its bytes are digested again on the way: an archive that is another one by now is
// refused, and paths and sizes are those that were verified.
import { type FileHandle, mkdir, open } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { BLOCK, modeOf, paddingAfter, TRAILER } from '../bundle/archive.ts'
import { type Hasher, hasher } from '../bundle/blake3.ts'
import { changed, inArchiveOrder } from '../bundle/writer.ts'
import { io } from '../io/fail.ts'
import { type OpenFile, openFile, readAt, withFile } from '../io/read/read-file.ts'
import { refuseIfAborted, syncFolder } from '../io/write/write-atomic.ts'
import type { FileEntry } from '../model/files.ts'

export interface VerifiedArchive {
  readonly path: string
  /** What it was made of, for messages. */
  readonly label: string
  /** BLAKE3 of its bytes. */
  readonly digest: string
  readonly files: readonly Pick<FileEntry, 'path' | 'size'>[]
}

const CHUNK_BYTES = 1024 * 1024

/**
 * Modes are those of the archive, less the umask.
 * @param folder must not exist, and its parent must; undefined only compares the archive with its digest
 * @param label its name in messages
 * @throws RlpError CHANGED_WHILE_READING, NO_SPACE, NO_PERMISSION, EXISTS, CANCELLED; the files written so far stay
 */
export async function unpack(
  { path: archive, label: source, digest, files }: VerifiedArchive,
  folder: string | undefined,
  label: string,
  signal?: AbortSignal,
): Promise<void> {
  await withFile(openFile(archive, { follow: false, label: source }), async file => {
    const reader = new Reader(file)
    const folders = new Set<string>()
    if (folder !== undefined) {
      await io(`create "${label}"`, () => mkdir(folder, { mode: 0o755 }))
      folders.add(folder)
    }
    for (const { path, size } of inArchiveOrder(files)) {
      refuseIfAborted(signal)
      await reader.pass(BLOCK)
      if (folder === undefined) await reader.pass(size, signal)
      else {
        const place = join(folder, path)
        for (let parent = dirname(place); !folders.has(parent); parent = dirname(parent)) folders.add(parent)
        await io(`create "${label}"`, () => mkdir(dirname(place), { recursive: true, mode: 0o755 }))
        await writeNew(place, reader.next(size, signal), modeOf(path), `${label}/${path}`)
      }
      await reader.pass(paddingAfter(size))
    }
    await reader.pass(TRAILER.length)
    if (reader.at !== file.size || reader.hex() !== digest) throw changed(source)
    for (const one of folders) await syncFolder(one)
  })
}

/** The bytes of a file from its beginning to its end, digested. */
class Reader {
  at = 0
  readonly #file: OpenFile
  readonly #hash: Hasher = hasher()
  readonly #buffer: Buffer

  constructor(file: OpenFile) {
    this.#file = file
    this.#buffer = Buffer.allocUnsafe(Math.min(CHUNK_BYTES, file.size))
  }

  /** So many bytes, each chunk in the place of the last. @throws RlpError CHANGED_WHILE_READING if there are fewer */
  async *next(bytes: number, signal?: AbortSignal): AsyncGenerator<Uint8Array> {
    for (let left = bytes; left > 0; ) {
      refuseIfAborted(signal)
      const chunk = this.#buffer.subarray(0, Math.min(left, this.#buffer.length))
      const count = await readAt(this.#file, chunk, this.at)
      if (chunk.length === 0 || count < chunk.length) throw changed(this.#file.label)
      this.#hash.update(chunk)
      this.at += count
      left -= count
      yield chunk
    }
  }

  async pass(bytes: number, signal?: AbortSignal): Promise<void> {
    for await (const _ of this.next(bytes, signal));
  }

  hex(): string {
    return this.#hash.hex()
  }
}

/** A new file, synced. Its folder is not. */
export async function writeNew(
  path: string,
  chunks: Iterable<Uint8Array> | AsyncIterable<Uint8Array>,
  mode: number,
  label: string,
): Promise<void> {
  const doing = `write "${label}"`
  const handle = await io(doing, () => open(path, 'wx', mode))
  try {
    for await (const chunk of chunks) await io(doing, () => handle.writeFile(chunk))
    await io(doing, () => handle.sync())
  } finally {
    await handle.close()
  }
}

/** Syncs a file that is there. */
export async function syncFile(path: string, label: string): Promise<void> {
  const doing = `write "${label}"`
  const handle: FileHandle = await io(doing, () => open(path, 'r+'))
  try {
    await io(doing, () => handle.sync())
  } finally {
    await handle.close()
  }
}
