// An open file → its calls, synchronous or by a thread.
import { type BigIntStats, closeSync, fstatSync, read, readSync, type Stats } from 'node:fs'

/** Named as in `node:fs/promises`, whose handles use a thread for every call. */
export class ReadHandle {
  readonly #fd: number

  /** For questions about the open file. It is closed with the handle. */
  get fd(): number {
    return this.#fd
  }

  constructor(fd: number) {
    this.#fd = fd
  }

  stat(): Stats {
    return fstatSync(this.#fd)
  }

  exactStat(): BigIntStats {
    return fstatSync(this.#fd, { bigint: true })
  }

  /** @returns the number of bytes read */
  readNow(buffer: Uint8Array, position: number): number {
    return readSync(this.#fd, buffer, 0, buffer.length, position)
  }

  read(buffer: Uint8Array, position: number): Promise<number> {
    return new Promise((resolve, reject) => {
      read(this.#fd, buffer, 0, buffer.length, position, (error, bytesRead) =>
        error ? reject(error) : resolve(bytesRead),
      )
    })
  }

  close(): void {
    closeSync(this.#fd)
  }
}
