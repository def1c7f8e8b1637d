// Opens a regular file, reads all of it or its chunks, closes it, and notices if it changed meanwhile. Opening a device can have an
// effect, so the path is looked at first. For a service, no file below its folders is read through a link that someone put there after
// that look.
import {
  type BigIntStats,
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  openSync,
  read,
  readlinkSync,
  readSync,
  type Stats,
  statSync,
} from 'node:fs'
import { dirname, resolve } from 'node:path'
import { RlpError } from '../../model/error.ts'
import { ownMembers } from '../../model/own.ts'
import { isSystemError } from '../../model/system-error.ts'
import { io, ioNow } from '../fail.ts'
import { breathe } from '../wait/breathe.ts'

// Files of one chunk are read synchronously: handing the call to a thread takes several times as long as the call. Larger ones are read
// by a thread, the next chunk while the last one is used.
const CHUNK_BYTES = 1024 * 1024

/** A regular file that is open. {@link withFile} and {@link closingChunks} close it. */
export interface OpenFile {
  readonly handle: ReadHandle
  /** Its name in messages. */
  readonly label: string
  /** In bytes, when it was opened. */
  readonly size: number
  /** The owner and mode of the file when it was opened. They decide who may change it. */
  readonly stats: Pick<Stats, 'uid' | 'mode'>
}

interface FileOpening {
  /** False refuses a link at the last segment. */
  readonly follow: boolean
  /** The name of the file in messages. If it is left out, its path. */
  readonly label?: string
}

/** How a whole file is read. */
interface WholeReading<Larger> extends FileOpening {
  /** In bytes. */
  readonly most: number
  /** Called for a larger file, of which nothing is read. Throws, or gives what is returned for it. */
  readonly larger: (size: number) => Larger
}

/**
 * Reads a whole file.
 * @throws RlpError NOT_FOUND, NO_PERMISSION, WRONG_FILE_TYPE, CHANGED_WHILE_READING, and what `larger` throws
 */
export function readFile<Larger>(path: string, reading: WholeReading<Larger>): Promise<Uint8Array | Larger> {
  const { most, larger } = ownMembers(reading)
  return withFile<Uint8Array | Larger>(openFile(path, reading), file =>
    file.size > most ? larger(file.size) : readWhole(file),
  )
}

/** Uses a file, and closes it however that ends. */
export async function withFile<T>(
  opening: Promise<OpenFile>,
  use: (file: OpenFile) => T | Promise<T>,
): Promise<T> {
  const file = await opening
  try {
    return await use(file)
  } finally {
    file.handle.close()
  }
}

/** The chunks of a file, which is opened when the first one is asked for and closed after the last. See {@link readChunks}. */
export async function* chunksAt(path: string, how: FileOpening): AsyncGenerator<Uint8Array> {
  yield* closingChunks(await openFile(path, how))
}

/** The chunks of an open file, which is closed after the last one. See {@link readChunks}. */
export async function* closingChunks(file: OpenFile): AsyncGenerator<Uint8Array> {
  try {
    yield* readChunks(file)
  } finally {
    file.handle.close()
  }
}

/**
 * Opens a regular file for reading. `O_NONBLOCK` keeps a FIFO that was put there meanwhile from blocking us for ever.
 * @throws RlpError NOT_FOUND, NO_PERMISSION, WRONG_FILE_TYPE
 */
export async function openFile(path: string, how: FileOpening): Promise<OpenFile> {
  const { label = path, follow } = ownMembers(how)
  await breathe()
  const flags = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0) | (follow ? 0 : (constants.O_NOFOLLOW ?? 0))
  const doing = `read "${label}"`
  const handle = ioNow(doing, () => new ReadHandle(openSync(path, flags)))
  const stat = ioNow(doing, () => handle.stat())
  refuseElsewhere(handle.fd, path, label)
  if (stat.isFile()) return { handle, label, size: stat.size, stats: stat }
  handle.close()
  throw notRegular(label, stat)
}

/**
 * The content of an open file in chunks; exactly `size` bytes or an error.
 *
 * Chunks are views of a buffer that later ones overwrite: use or copy each before asking for the next.
 */
export async function* readChunks(file: OpenFile): AsyncGenerator<Uint8Array> {
  let total = 0
  for await (const chunk of file.size < CHUNK_BYTES ? whole(file) : ahead(file)) {
    total += chunk.length
    if (total > file.size) break
    yield chunk
  }
  if (total !== file.size) throw changedSize(file.label)
}

/** Buffers not in use: touching new memory costs more than reading the bytes into it. */
const spare: Buffer[] = []
const MOST_SPARE = 4

/** Asks for one byte more than expected, to notice a file that has grown. */
async function* whole({ handle, label, size }: OpenFile): AsyncGenerator<Uint8Array> {
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

async function* ahead({ handle, label }: OpenFile): AsyncGenerator<Uint8Array> {
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
  { handle, label }: OpenFile,
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
export async function readWhole({ handle, label, size }: OpenFile): Promise<Uint8Array> {
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
  if (total !== size) throw changedSize(label)
  return bytes.subarray(0, size)
}

/** The error for a file whose size changed while it was read. */
export function changedSize(label: string): RlpError {
  const message = `Cannot read "${label}": its size changed while it was read`
  return new RlpError('CHANGED_WHILE_READING', message, {
    hint: 'Wait until nothing writes to it, then run the command again',
  })
}

/** Named as in `node:fs/promises`, whose handles use a thread for every call. */
export class ReadHandle {
  readonly #fd: number

  /** For questions about the open file. It is closed with the handle. */
  get fd(): number {
    return this.#fd
  }

  constructor(fd: number) {
    this.#fd = fd
  }

  stat(): Stats {
    return fstatSync(this.#fd)
  }

  exactStat(): BigIntStats {
    return fstatSync(this.#fd, { bigint: true })
  }

  /** @returns the number of bytes read */
  readNow(buffer: Uint8Array, position: number): number {
    return readSync(this.#fd, buffer, 0, buffer.length, position)
  }

  /** The same into a part of a buffer. A view of that part is made for each call of {@link readNow}. */
  readInto(buffer: Uint8Array, at: number, length: number, position: number): number {
    return readSync(this.#fd, buffer, at, length, position)
  }

  read(buffer: Uint8Array, position: number): Promise<number> {
    return new Promise((resolve, reject) => {
      read(this.#fd, buffer, 0, buffer.length, position, (error, bytesRead) =>
        error ? reject(error) : resolve(bytesRead),
      )
    })
  }

  close(): void {
    closeSync(this.#fd)
  }
}

/** A regular file or a folder. @throws RlpError NOT_FOUND, NO_PERMISSION, WRONG_FILE_TYPE */
export function readableAt(path: string, { follow, label }: { follow: boolean; label: string }): Stats {
  const found = ioNow(`read "${label}"`, () => (follow ? statSync(path) : lstatSync(path)))
  if (found.isFile() || found.isDirectory()) return found
  throw notRegular(label, found)
}

function notRegular(label: string, found: Stats): RlpError {
  const [state, hint] = found.isSymbolicLink()
    ? ['a symbolic link', 'Name the file that it leads to']
    : ['not a regular file', found.isDirectory() ? 'Name a file' : 'Put a regular file there']
  return new RlpError('WRONG_FILE_TYPE', `Cannot read "${label}": it is ${state}`, { hint })
}

/** Absolute, and without links. Of this thread. */
let guarded: readonly string[] = []

/** From now on, this thread opens nothing through a link below these folders. @param folders absolute, and without links */
export function guardOpens(folders: readonly string[]): void {
  guarded = folders
}

/**
 * Checks that an open file or folder is the one at its path. Call it before reading.
 * @throws RlpError CHANGED_WHILE_READING; then it is closed
 */
export function refuseElsewhere(fd: number, given: string, label: string): void {
  if (guarded.length === 0) return
  const path = resolve(given)
  const above = guarded.find(one => path === one || path.startsWith(one === '/' ? one : `${one}/`))
  if (above === undefined || isAt(fd, path, above)) return
  closeSync(fd)
  throw new RlpError('CHANGED_WHILE_READING', `Cannot read "${label}": a link took the place of a folder`, {
    hint: 'Put the file itself below the folder that is served',
  })
}

function isAt(fd: number, path: string, above: string): boolean {
  try {
    // The kernel's own name of it. Two looks at a path could be led to two places.
    return readlinkSync(`/proc/self/fd/${fd}`) === path
  } catch (error) {
    if (!isSystemError(error)) throw error
  }
  const open = fstatSync(fd, { bigint: true })
  const last = lstatSync(path, { bigint: true, throwIfNoEntry: false })
  if (last?.dev !== open.dev || last.ino !== open.ino) return false
  for (let at = path; at !== above; at = dirname(at)) if (lstatSync(at).isSymbolicLink()) return false
  return true
}
