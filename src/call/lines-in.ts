// Chunks of bytes → the lines of a protocol. It ends with the first line that is too long.
import { boundedLines } from '../io/bounded-lines.ts'
import { byteLimit } from '../model/limits.ts'

/**
 * Lines without their newline; an unfinished last line is dropped.
 * @param most bytes of a line
 * @throws RangeError for a longer one, before it is read to its end
 */
export async function* linesIn(input: AsyncIterable<Uint8Array>, most: number): AsyncGenerator<string> {
  for await (const { bytes, isWhole } of boundedLines(input, most)) {
    if (bytes === undefined)
      throw new RangeError(`a message is longer than ${byteLimit(most)}: send a shorter one`)
    if (isWhole) yield Buffer.from(bytes.buffer, 0, bytes.length).toString()
  }
}
