// Chunks of bytes → lines of at most so many bytes. A longer line is said to be too long as soon as that is known, and the line after it
// is read.
import { GrowingBuffer } from './growing-buffer.ts'

const NEWLINE = 0x0a

export interface BoundedLine {
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
