// Pieces that come one after another, from where nothing can wait → a new file.
import { closeSync, openSync, writeSync } from 'node:fs'
import { ioNow } from '../fail.ts'

export class NewFile {
  readonly #doing: string
  #fd: number | undefined

  /** @param doing in the grammar of messages. @throws RlpError EXISTS if anything is there, a link too */
  constructor(path: string, mode: number, doing: string) {
    this.#doing = doing
    this.#fd = ioNow(doing, () => openSync(path, 'wx', mode))
  }

  /** @throws RlpError NO_SPACE, IO */
  add(piece: Uint8Array): void {
    const fd = this.#fd
    if (fd === undefined) throw new TypeError('this file is closed')
    for (let at = 0; at < piece.length; ) at += ioNow(this.#doing, () => writeSync(fd, piece, at))
  }

  close(): void {
    if (this.#fd !== undefined) closeSync(this.#fd)
    this.#fd = undefined
  }
}
