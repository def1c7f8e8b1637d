// Pieces of any size → one buffer that grows. A list would cost a hundred bytes for each piece, and a stranger decides how many there
// are.

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
