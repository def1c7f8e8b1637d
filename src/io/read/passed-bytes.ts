// The bytes of a bundle as they pass by → their sha256, if all of them did.
import { createHash } from 'node:crypto'

export class PassedBytes {
  readonly #hash = createHash('sha256')
  #sha256: string | undefined

  /** Lower-case hex. Undefined if reading ended early, and for an unpacked folder, which is no sequence of bytes. */
  get sha256(): string | undefined {
    return this.#sha256
  }

  async *through(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    for await (const chunk of chunks) {
      this.#hash.update(chunk)
      yield chunk
    }
    this.#sha256 = this.#hash.digest('hex')
  }
}
