// Chunks of bytes → lines. Each byte is scanned once: a message of many megabytes arrives in hundreds of chunks.
import { GrowingBuffer } from '../io/growing-buffer.ts'
import { byteLimit } from '../model/limits.ts'

const NEWLINE = 0x0a

/**
 * Lines without their newline; an unfinished last line is dropped.
 * @param most bytes of a line
 * @throws RangeError for a longer one, before it is read to its end
 */
export async function* linesIn(input: AsyncIterable<Uint8Array>, most: number): AsyncGenerator<string> {
  // Copied, because the source may reuse its buffer.
  const begun = new GrowingBuffer(most)
  const take = (piece: Uint8Array) => {
    if (begun.append(piece) < piece.length)
      throw new RangeError(`a message is longer than ${byteLimit(most)}: send a shorter one`)
  }
  for await (const chunk of input) {
    let rest = chunk
    for (let at = rest.indexOf(NEWLINE); at !== -1; at = rest.indexOf(NEWLINE)) {
      take(rest.subarray(0, at))
      const line = begun.bytes().toString()
      begun.clear()
      yield line
      rest = rest.subarray(at + 1)
    }
    take(rest)
  }
}
