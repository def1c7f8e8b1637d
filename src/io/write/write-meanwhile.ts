// Chunks → a file, written by a thread while the next chunks arrive and are hashed.
import type { FileHandle } from 'node:fs/promises'
import { io } from '../fail.ts'

/** Written together: each write costs a turn of a thread. */
const MANY_BYTES = 1024 * 1024

export class WriteMeanwhile {
  readonly #handle: FileHandle
  readonly #doing: string
  #waiting: Uint8Array[] = []
  #bytes = 0
  #writing: Promise<void> = Promise.resolve()

  constructor(handle: FileHandle, doing: string) {
    this.#handle = handle
    this.#doing = doing
  }

  /**
   * @param chunk stays as it is until it is written
   * @throws RlpError NO_SPACE, IO, also of what was added before
   */
  async add(chunk: Uint8Array): Promise<void> {
    this.#waiting.push(chunk)
    this.#bytes += chunk.length
    if (this.#bytes >= MANY_BYTES) await this.#flush()
  }

  /** At the end the system has all bytes. @throws as {@link add} */
  async finish(): Promise<void> {
    await this.#flush()
    await this.#writing
  }

  /** Afterwards the file may be closed: no thread writes to it any more. */
  async settled(): Promise<void> {
    await Promise.allSettled([this.#writing])
  }

  async #flush(): Promise<void> {
    await this.#writing
    const chunks = this.#waiting
    this.#waiting = []
    this.#bytes = 0
    this.#writing = this.#write(chunks)
    // It may fail before the next chunk comes, which then gets the error.
    void Promise.allSettled([this.#writing])
  }

  async #write(chunks: readonly Uint8Array[]): Promise<void> {
    for (let left = chunks; left.length > 0; ) {
      const { bytesWritten } = await io(this.#doing, () => this.#handle.writev(left))
      left = after(left, bytesWritten)
    }
  }
}

/** What is left of chunks when some bytes of them are written: a disk that is nearly full takes fewer. */
function after(chunks: readonly Uint8Array[], bytes: number): readonly Uint8Array[] {
  let gone = bytes
  return chunks.flatMap(chunk => {
    const taken = Math.min(gone, chunk.length)
    gone -= taken
    return taken === chunk.length ? [] : [chunk.subarray(taken)]
  })
}
