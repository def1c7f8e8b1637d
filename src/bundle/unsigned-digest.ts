// The entries of an archive as they stream by → the SHA-256 of the same archive without SIGNATURES/: what was built, before anybody signed it. A signature
// that is added later does not change it, so it takes no statement away.
import { createHash } from 'node:crypto'
import { SIGNATURE_FOLDER } from '../model/agent.ts'
import { encodeHeader, paddingAfter, TRAILER } from './header.ts'
import type { EntrySink } from './reader.ts'

/** Hands everything on. */
export class UnsignedDigest implements EntrySink {
  readonly #next: EntrySink
  readonly #hash = createHash('sha256')
  #size = 0
  #counts = false

  constructor(next: EntrySink) {
    this.#next = next
  }

  open(path: string, size: number): void {
    this.#size = size
    this.#counts = !isSignaturePath(path)
    if (this.#counts) this.#hash.update(encodeHeader(path, size))
    this.#next.open(path, size)
  }

  write(chunk: Uint8Array): void {
    if (this.#counts) this.#hash.update(chunk)
    this.#next.write(chunk)
  }

  close(): void {
    if (this.#counts) this.#hash.update(TRAILER.subarray(0, paddingAfter(this.#size)))
    this.#next.close()
  }

  /** Lower-case hex, of an archive that was read to its end. */
  hex(): string {
    return this.#hash.update(TRAILER).digest('hex')
  }
}

export function isSignaturePath(path: string): boolean {
  return path === SIGNATURE_FOLDER || path.startsWith(`${SIGNATURE_FOLDER}/`)
}
