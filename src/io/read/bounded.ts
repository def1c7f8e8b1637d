// Reads streams and files that may be endless in bounded memory: one line at a time, the first bytes and a count of the rest, or all of a
// small input. A longer one is refused.

import { isUtf8 } from 'node:buffer'
import { resolve } from 'node:path'
import type { Readable } from 'node:stream'
import { RlpError } from '../../model/error.ts'
import { byteLimit, PARSE_LIMITS } from '../../model/limits.ts'
import type { Setting } from '../setting.ts'
import { chunksAt, readFile } from './read-file.ts'

const FIRST_BYTES = 4 * 1024

export class GrowingBuffer {
  readonly #most: number
  #bytes = Buffer.alloc(0)
  #length = 0

  /** @param most the most bytes that are kept */
  constructor(most: number) {
    this.#most = most
  }

  get length(): number {
    return this.#length
  }

  /** Copies as much as fits. @returns the number of bytes that were kept */
  append(piece: Uint8Array): number {
    const kept = Math.min(piece.length, this.#most - this.#length)
    const wanted = this.#length + kept
    if (wanted > this.#bytes.length) this.#grow(wanted)
    this.#bytes.set(piece.subarray(0, kept), this.#length)
    this.#length = wanted
    return kept
  }

  /** The bytes so far. Valid until the next change. */
  bytes(): Buffer {
    return this.#bytes.subarray(0, this.#length)
  }

  /** Drops the content, and frees a large buffer. */
  clear(): void {
    this.#length = 0
    if (this.#bytes.length > FIRST_BYTES) this.#bytes = Buffer.alloc(0)
  }

  #grow(wanted: number): void {
    const size = Math.min(this.#most, Math.max(FIRST_BYTES, wanted, this.#bytes.length * 2))
    const larger = Buffer.alloc(size)
    larger.set(this.bytes())
    this.#bytes = larger
  }
}

const NEWLINE = 0x0a

interface BoundedLine {
  /** Without the byte that ends it; a copy. Undefined for a line that is too long. */
  readonly bytes: Uint8Array | undefined
  /** False for a last line that nothing ends. */
  readonly isWhole: boolean
}

const TOO_LONG: BoundedLine = { bytes: undefined, isWhole: true }

/**
 * Each byte is scanned once, and nothing beyond the limit is kept.
 * @param most bytes of a line
 * @param ends the byte behind each line
 */
export async function* boundedLines(
  input: AsyncIterable<Uint8Array>,
  most: number,
  ends: number = NEWLINE,
): AsyncGenerator<BoundedLine> {
  // Copied, because the source may reuse its buffer.
  const begun = new GrowingBuffer(most)
  /** Whether the line that is being read was already said to be too long. */
  let isSkipped = false
  const isKept = (piece: Uint8Array) => isSkipped || begun.append(piece) === piece.length
  for await (const chunk of input) {
    let rest = chunk
    while (rest.length > 0) {
      const end = rest.indexOf(ends)
      const piece = end === -1 ? rest : rest.subarray(0, end)
      if (!isKept(piece)) {
        begun.clear()
        isSkipped = true
        yield TOO_LONG
      }
      if (end === -1) break
      if (!isSkipped) yield { bytes: Uint8Array.from(begun.bytes()), isWhole: true }
      begun.clear()
      isSkipped = false
      rest = rest.subarray(end + 1)
    }
  }
  if (begun.length > 0) yield { bytes: Uint8Array.from(begun.bytes()), isWhole: false }
}

export interface Line {
  /** Without its newline; a copy. */
  readonly bytes: Uint8Array
  /** False for a last line without a newline. */
  readonly isWhole: boolean
}

/** @throws RlpError LIMIT_EXCEEDED for a line of more than `most` bytes, and what reading throws */
export async function* readLines(path: string, label: string, most: number): AsyncGenerator<Line> {
  let parts: Uint8Array[] = []
  let length = 0
  const keep = (bytes: Uint8Array): void => {
    length += bytes.length
    if (length > most) {
      const hint = 'Name a file whose lines are shorter: none that rlp writes is so long'
      throw new RlpError('LIMIT_EXCEEDED', `Cannot read "${label}": a line has more than ${most} bytes`, {
        hint,
      })
    }
    parts.push(bytes.slice())
  }
  for await (const chunk of chunksAt(path, { follow: true, label })) {
    let from = 0
    for (let at = chunk.indexOf(NEWLINE); at !== -1; at = chunk.indexOf(NEWLINE, from)) {
      keep(chunk.subarray(from, at))
      yield { bytes: Buffer.concat(parts), isWhole: true }
      parts = []
      length = 0
      from = at + 1
    }
    if (from < chunk.length) keep(chunk.subarray(from))
  }
  if (length > 0) yield { bytes: Buffer.concat(parts), isWhole: false }
}

/** The limit for texts that are read strictly. */
const MAX_BYTES = PARSE_LIMITS.textBytes

/** @param name a path, or `-` for standard input. @throws RlpError NOT_FOUND, WRONG_FILE_TYPE, NO_PERMISSION, LIMIT_EXCEEDED */
export async function readInput(name: string, io: Setting): Promise<Uint8Array> {
  if (name === '-') return readStandardInput(io)
  const larger = (size: number) => {
    throw tooLarge(name, `it has ${size} bytes`)
  }
  return readFile(resolve(io.cwd, name), { follow: true, label: name, most: MAX_BYTES, larger })
}

async function readStandardInput(io: Setting): Promise<Uint8Array> {
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of io.stdin()) {
    size += chunk.length
    if (size > MAX_BYTES) throw tooLarge('-', 'it has more')
    chunks.push(Uint8Array.from(chunk))
  }
  return Buffer.concat(chunks)
}

function tooLarge(name: string, seen: string): RlpError {
  return new RlpError(
    'LIMIT_EXCEEDED',
    `Cannot read "${name}": ${seen}; at most ${byteLimit(MAX_BYTES)} are read`,
    { hint: 'Split it into several files, or name the file that was meant' },
  )
}

/** The part of a stream that was kept. */
export interface Kept {
  readonly text: string
  /** All bytes that were read, kept or not. */
  readonly bytes: number
  /** Whether fewer bytes were kept than read. */
  readonly isCut: boolean
  /** Whether the kept bytes are UTF-8. Invalid ones are U+FFFD in `text`. */
  readonly isText: boolean
}

/** Reads from the start and never blocks the writer: bytes beyond `most` are counted and dropped. */
export function keepOutput(stream: Readable, most: number): () => Kept {
  const kept = new GrowingBuffer(most)
  let bytes = 0
  stream.on('data', (chunk: Buffer) => {
    bytes += chunk.length
    kept.append(chunk)
  })
  // A broken pipe means the end; the exit of the program is reported elsewhere.
  stream.on('error', () => {})
  return () => {
    const isCut = bytes > kept.length
    const all = kept.bytes()
    const whole = isCut ? all.subarray(0, wholeCharacters(all)) : all
    return { text: new TextDecoder().decode(whole), bytes, isCut, isText: isUtf8(whole) }
  }
}

/** Bytes up to the last complete character, judged by its first byte: the cap cut it, not the writer. */
function wholeCharacters(bytes: Buffer): number {
  for (let back = 1; back <= Math.min(3, bytes.length); back++) {
    const byte = bytes[bytes.length - back] ?? 0
    if (byte < 0x80) break
    if (byte < 0xc0) continue
    const length = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2
    return length > back ? bytes.length - back : bytes.length
  }
  return bytes.length
}
