// A stream that is read to its end → its first bytes as text, and how many there were.
import { isUtf8 } from 'node:buffer'
import type { Readable } from 'node:stream'
import { GrowingBuffer } from '../growing-buffer.ts'

/** What was read of a stream. */
export interface Kept {
  readonly text: string
  /** Of all that was read, kept or not. */
  readonly bytes: number
  /** Whether less was kept than was read. */
  readonly isCut: boolean
  /** Whether what was kept is UTF-8; what is none stands in `text` as U+FFFD. */
  readonly isText: boolean
}

/** Begins to read at once and never stops the writer: what is beyond `most` bytes is counted and dropped. */
export function keepOutput(stream: Readable, most: number): () => Kept {
  const kept = new GrowingBuffer(most)
  let bytes = 0
  stream.on('data', (chunk: Buffer) => {
    bytes += chunk.length
    kept.append(chunk)
  })
  // A pipe that breaks has ended; how the program ended is known from elsewhere.
  stream.on('error', () => {})
  return () => {
    const isCut = bytes > kept.length
    const all = kept.bytes()
    const whole = isCut ? all.subarray(0, wholeCharacters(all)) : all
    return { text: new TextDecoder().decode(whole), bytes, isCut, isText: isUtf8(whole) }
  }
}

/** Bytes up to the last character that is complete, as far as its first byte tells: the cap cut it, and not the writer. */
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
