// A stream, read to its end → its first bytes as text, and how many bytes there were.
import { isUtf8 } from 'node:buffer'
import type { Readable } from 'node:stream'
import { GrowingBuffer } from '../read/growing-buffer.ts'

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
