// The entries of an archive as they stream by → FileEntry, one after another.

import { blake3Hex, type Hasher, hasher } from '../../bundle/blake3.ts'
import type { EntrySink } from '../../bundle/reader.ts'
import type { FileEntry } from '../../model/files.ts'
import { MAX_TEXT_BYTES } from '../../text/decode.ts'
import { InspectBudget, MAX_WASM_BYTES } from './inspect-budget.ts'

const HEAD_BYTES = 8
const MAX_SMALL_BYTES = 64 * 1024
const TOTAL_SMALL_BYTES = 4 * 1024 * 1024
const MAX_INSPECTED_BYTES = Math.max(MAX_WASM_BYTES, MAX_TEXT_BYTES)

/** Digests every entry as it comes by. Copies what is kept, because the reader reuses its buffer. */
export class Collector implements EntrySink {
  readonly entries: FileEntry[] = []
  readonly #keep: 'parsed' | 'all'
  readonly #budget = new InspectBudget()
  #small = TOTAL_SMALL_BYTES
  #path = ''
  #size = 0
  #at = 0
  #head = new Uint8Array()
  #isInspected: boolean | undefined
  #content: Uint8Array | undefined
  /** Digest of a file that streams by; files held in memory are hashed in one call. */
  #hash: Hasher | undefined

  constructor(keep: 'parsed' | 'all') {
    this.#keep = keep
  }

  open(path: string, size: number): void {
    this.#path = path
    this.#size = size
    this.#at = 0
    this.#head = new Uint8Array(Math.min(HEAD_BYTES, size))
    this.#isInspected = undefined
    // Zero pages cost nothing until they are written, so a false size in a header does no harm.
    this.#content = this.#keep === 'all' || size <= MAX_INSPECTED_BYTES ? new Uint8Array(size) : undefined
    this.#hash = this.#content === undefined ? hasher() : undefined
  }

  write(chunk: Uint8Array): void {
    this.#hash?.update(chunk)
    if (this.#at < this.#head.length)
      this.#head.set(chunk.subarray(0, this.#head.length - this.#at), this.#at)
    this.#content?.set(chunk, this.#at)
    this.#at += chunk.length
    if (this.#isInspected === undefined && this.#at >= this.#head.length) this.#decide()
  }

  close(): void {
    if (this.#isInspected === undefined) this.#decide()
    const content = this.#content
    this.entries.push({
      path: this.#path,
      size: this.#size,
      head: this.#head,
      digest: content === undefined ? (this.#hash ?? hasher()).hex() : blake3Hex(content),
      content,
      bytes: this.#isInspected ? content : undefined,
    })
  }

  #decide(): void {
    this.#isInspected = this.#budget.takes(this.#path, this.#size, this.#head)
    if (this.#isInspected || this.#keep === 'all') return
    // Small files are kept for the diagnosis of a changed file (src/text/diagnose.ts).
    if (this.#size <= Math.min(MAX_SMALL_BYTES, this.#small)) this.#small -= this.#size
    else this.#letGo()
  }

  #letGo(): void {
    if (this.#content !== undefined) this.#hash = hasher().update(this.#content.subarray(0, this.#at))
    this.#content = undefined
  }
}
