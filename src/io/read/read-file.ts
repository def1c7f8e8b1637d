// One file → its bytes in chunks. Follows no link, and notices if the file changes meanwhile.

import { constants, openSync } from 'node:fs'
import { RlpError } from '../../model/error.ts'
import { ownMembers } from '../../model/own.ts'
import { io, ioNow } from '../fail.ts'
import { breathe } from '../wait/breathe.ts'
import { refuseElsewhere } from './guarded.ts'
import { ReadHandle } from './read-handle.ts'
import { notRegular } from './regular.ts'

// Files of one chunk are read synchronously: handing the call to a thread takes several times as long as the call. Larger ones are read
// by a thread, the next chunk while the last one is used.
const CHUNK_BYTES = 1024 * 1024

/** A regular file that is open. The caller closes it. */
export interface OpenFile {
  readonly handle: ReadHandle
  /** In bytes, when it was opened. */
  readonly size: number
}

/**
 * Opens a regular file for reading.
 *
 * `follow: false` refuses a link at the last segment. `O_NONBLOCK` keeps a FIFO that was put there meanwhile from blocking us for ever.
 * @throws RlpError NOT_FOUND, NO_PERMISSION, WRONG_FILE_TYPE
 */
export async function openFile(
  path: string,
  options: { follow: boolean; label?: string },
): Promise<OpenFile> {
  const { label = path } = ownMembers(options)
  await breathe()
  const flags =
    constants.O_RDONLY | (constants.O_NONBLOCK ?? 0) | (options.follow ? 0 : (constants.O_NOFOLLOW ?? 0))
  const doing = `read "${label}"`
  const handle = ioNow(doing, () => new ReadHandle(openSync(path, flags)))
  const stat = ioNow(doing, () => handle.stat())
  refuseElsewhere(handle.fd, path, label)
  if (stat.isFile()) return { handle, size: stat.size }
  handle.close()
  throw notRegular(label, stat)
}

/**
 * The content of an open file in chunks; exactly `size` bytes or an error.
 *
 * Chunks are views of a buffer that later ones overwrite: use or copy each before asking for the next.
 */
export async function* readChunks(file: OpenFile, label: string): AsyncGenerator<Uint8Array> {
  let total = 0
  for await (const chunk of file.size < CHUNK_BYTES ? whole(file, label) : ahead(file, label)) {
    total += chunk.length
    if (total > file.size) break
    yield chunk
  }
  if (total !== file.size) throw changed(label)
}

/** Buffers not in use: touching new memory costs more than reading the bytes into it. */
const spare: Buffer[] = []
const MOST_SPARE = 4

/** Asks for one byte more than expected, to notice a file that has grown. */
async function* whole({ handle, size }: OpenFile, label: string): AsyncGenerator<Uint8Array> {
  const buffer = spare.pop() ?? Buffer.allocUnsafeSlow(CHUNK_BYTES)
  const part = buffer.subarray(0, size + 1)
  try {
    let total = 0
    do {
      const count = ioNow(`read "${label}"`, () => handle.readNow(part, total))
      if (count === 0) return
      total += count
      yield part.subarray(0, count)
    } while (total !== size)
  } finally {
    if (spare.length < MOST_SPARE) spare.push(buffer)
  }
}

async function* ahead({ handle }: OpenFile, label: string): AsyncGenerator<Uint8Array> {
  let [buffer, other] = [Buffer.allocUnsafe(CHUNK_BYTES), Buffer.allocUnsafe(CHUNK_BYTES)]
  let total = 0
  const next = () => {
    const reading = io(`read "${label}"`, () => handle.read(buffer, total))
    // It may fail before the caller waits for it. The caller gets the error with the next chunk.
    void Promise.allSettled([reading])
    return reading
  }
  let pending = next()
  try {
    while (true) {
      const count = await pending
      if (count === 0) return
      const chunk = buffer.subarray(0, count)
      total += count
      ;[buffer, other] = [other, buffer]
      pending = next()
      yield chunk
    }
  } finally {
    // File and buffer must stay open while a thread reads. Its result no longer matters.
    await Promise.allSettled([pending])
  }
}

/** Fills a buffer from a position in an open file, up to the file's end, and returns the number of bytes. */
export async function readAt(
  { handle }: OpenFile,
  label: string,
  buffer: Uint8Array,
  position: number,
): Promise<number> {
  let at = 0
  while (at < buffer.length) {
    const count = ioNow(`read "${label}"`, () => handle.readNow(buffer.subarray(at), position + at))
    if (count === 0) break
    at += count
  }
  return at
}

/** The whole content of an open file; exactly `size` bytes or an error. */
export async function readWhole(file: OpenFile, label: string): Promise<Uint8Array> {
  const { handle, size } = file
  // Asks for one byte more than expected, to notice a file that has grown.
  const bytes = new Uint8Array(size + 1)
  const isSmall = size < CHUNK_BYTES
  let total = 0
  while (total <= size) {
    const part = bytes.subarray(total, total + CHUNK_BYTES)
    const at = total
    const count = isSmall
      ? ioNow(`read "${label}"`, () => handle.readNow(part, at))
      : await io(`read "${label}"`, () => handle.read(part, at))
    total += count
    if (count === 0 || (total === size && count < part.length)) break
  }
  if (total !== size) throw changed(label)
  return bytes.subarray(0, size)
}

function changed(label: string): RlpError {
  const message = `Cannot read "${label}": its size changed while it was read`
  return new RlpError('CHANGED_WHILE_READING', message, {
    hint: 'Wait until nothing writes to it, then run the command again',
  })
}
