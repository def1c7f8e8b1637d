// The pieces of an archive as they pass by → its BLAKE3.
import { type Hasher, hasher } from '../../bundle/blake3.ts'

export class PlainDigest {
  // Not before the first piece: by then it is decided which BLAKE3 is used.
  #hash: Hasher | undefined

  readonly add = (piece: Uint8Array): void => {
    this.#hash ??= hasher()
    this.#hash.update(piece)
  }

  hex(): string {
    return (this.#hash ?? hasher()).hex()
  }
}
