// One file → its bytes in chunks, without following links and without trusting that the file stays as it is.
import { constants, type FileHandle, open } from 'node:fs/promises'
import { RlpError } from '../model/error.ts'
import { io } from './fail.ts'

const CHUNK_BYTES = 1024 * 1024

/** A regular file that is open. The caller closes it. */
export interface OpenFile {
  readonly handle: FileHandle
  /** In bytes, when it was opened. */
  readonly size: number
}

/**
 * Opens a regular file for reading.
 *
 * `follow: false` refuses a link at the last segment. `O_NONBLOCK` keeps a FIFO that was put there meanwhile from blocking us for ever.
 *
 * @throws RlpError NOT_FOUND, NO_PERMISSION, WRONG_FILE_TYPE
 */
export async function openFile(
  path: string,
  options: { follow: boolean; label?: string },
): Promise<OpenFile> {
  const label = options.label ?? path
  const flags =
    constants.O_RDONLY | (constants.O_NONBLOCK ?? 0) | (options.follow ? 0 : (constants.O_NOFOLLOW ?? 0))
  const handle = await io(`read "${label}"`, () => open(path, flags))
  const stat = await io(`read "${label}"`, () => handle.stat())
  if (stat.isFile()) return { handle, size: stat.size }
  await handle.close()
  throw new RlpError('WRONG_FILE_TYPE', `Cannot read "${label}": it is not a regular file`, {
    hint: stat.isDirectory() ? 'Name a file' : 'Put a regular file there',
  })
}

/**
 * The content of an open file in chunks; exactly `size` bytes or an error.
 *
 * Chunks are views of one buffer that the next chunk overwrites: use or copy them at once.
 */
export async function* readChunks(file: OpenFile, label: string): AsyncGenerator<Uint8Array> {
  const buffer = Buffer.allocUnsafe(Math.min(CHUNK_BYTES, Math.max(file.size + 1, 1)))
  let total = 0
  while (true) {
    const { bytesRead } = await io(`read "${label}"`, () => file.handle.read(buffer, 0, buffer.length, total))
    if (bytesRead === 0) break
    total += bytesRead
    if (total > file.size) break
    yield buffer.subarray(0, bytesRead)
  }
  if (total !== file.size) {
    throw new RlpError(
      'CHANGED_WHILE_READING',
      `Cannot read "${label}": its size changed while it was read`,
      {
        hint: 'Wait until nothing writes to it, then run the command again',
      },
    )
  }
}

/**
 * Fills a buffer from a place in an open file, as far as the file goes.
 *
 * @returns how many bytes there were
 */
export async function readAt(
  { handle }: OpenFile,
  label: string,
  buffer: Uint8Array,
  position: number,
): Promise<number> {
  let at = 0
  while (at < buffer.length) {
    const left = buffer.length - at
    const { bytesRead } = await io(`read "${label}"`, () => handle.read(buffer, at, left, position + at))
    if (bytesRead === 0) break
    at += bytesRead
  }
  return at
}

/** The whole content of an open file. */
export async function readWhole(file: OpenFile, label: string): Promise<Uint8Array> {
  const bytes = new Uint8Array(file.size)
  let at = 0
  for await (const chunk of readChunks(file, label)) {
    bytes.set(chunk, at)
    at += chunk.length
  }
  return bytes
}
