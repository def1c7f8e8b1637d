// Pieces of a tunnel ↔ the bytes of a descriptor: each piece behind its length in two bytes. An empty piece ends the tunnel, and the next one begins.
// Every sequence of bytes can be read, so nothing here fails.

const LENGTH_BYTES = 2
const MOST_BYTES = 0xffff

/** What ends a tunnel. */
export const END: Uint8Array = Buffer.alloc(0)

/** What is written for one piece. A long piece becomes several. */
export function framesOf(piece: Uint8Array): readonly Uint8Array[] {
  const frames: Uint8Array[] = []
  for (let at = 0; at === 0 || at < piece.length; at += MOST_BYTES) {
    const part = piece.subarray(at, at + MOST_BYTES)
    frames.push(Buffer.from([part.length >> 8, part.length & 0xff]), part)
  }
  return frames
}

export class FrameReader {
  /** The bytes of a length that have come. */
  #length: number[] = []
  /** Bytes of a piece that are still to come. */
  #left = 0

  /** @returns the pieces in a chunk. A long piece comes in parts, as its bytes come: nothing is kept. */
  read(chunk: Uint8Array): readonly Uint8Array[] {
    const pieces: Uint8Array[] = []
    for (let at = 0; at < chunk.length; ) {
      if (this.#left > 0) {
        const part = chunk.subarray(at, at + this.#left)
        at += part.length
        this.#left -= part.length
        pieces.push(part)
        continue
      }
      this.#length.push(chunk[at++] ?? 0)
      if (this.#length.length < LENGTH_BYTES) continue
      const [high = 0, low = 0] = this.#length
      this.#length = []
      this.#left = high * 256 + low
      if (this.#left === 0) pieces.push(END)
    }
    return pieces
  }
}
