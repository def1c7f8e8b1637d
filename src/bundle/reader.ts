// A strict reader of the canonical archive. It takes bytes in pieces of any size, hands on each file's bytes as they arrive, and stops at
// the first byte that `encodeHeader` and docs/spec/archive.md would not have written. Only one header is buffered. It also digests the
// archive as it would be without SIGNATURES/: a signature that is added later does not change what was built, so statements still fit.

import { createHash } from 'node:crypto'
import { SIGNATURE_FOLDER } from '../model/agent.ts'
import { ASK_FOR_LESS } from '../model/limits.ts'
import { pathClashes } from '../text/path.ts'
import {
  archiveOrder,
  BLOCK,
  beyondLimits,
  DEFAULT_LIMITS,
  type Limits,
  paddingAfter,
  readHeader,
  TRAILER,
} from './archive.ts'

/** The bytes are not the one archive of their files. `offset` counts bytes from the start. */
export class NotCanonical extends Error {
  override readonly name = 'NotCanonical'
  readonly offset: number
  /** What to do, if making it again would not help. */
  readonly hint: string | undefined
  constructor(reason: string, offset: number, hint?: string) {
    super(reason)
    this.offset = offset
    this.hint = hint
  }
}

/** Receives the files of an archive. Every entry is opened, written (in pieces, possibly none) and closed, one after another. */
export interface EntrySink {
  /** @param header of this entry; the bytes are others after the call */
  open(path: string, size: number, header: Uint8Array): void
  write(chunk: Uint8Array): void
  close(): void
}

export class ArchiveReader {
  readonly #sink: EntrySink
  readonly #limits: Limits
  readonly #block = new Uint8Array(BLOCK)
  readonly #canonical = new Uint8Array(BLOCK)
  #filled = 0
  #offset = 0
  #state: 'header' | 'content' | 'padding' | 'trailer' | 'end' = 'header'
  #left = 0
  #padding = 0
  #total = 0
  #previous: string | undefined
  readonly #paths: string[] = []

  constructor(sink: EntrySink, limits: Limits = DEFAULT_LIMITS) {
    this.#sink = sink
    this.#limits = limits
  }

  /** @throws NotCanonical */
  push(chunk: Uint8Array): void {
    let at = 0
    while (at < chunk.length) {
      const take = Math.min(chunk.length - at, this.#want())
      const piece = chunk.subarray(at, at + take)
      this.#take(piece)
      at += take
      this.#offset += take
    }
  }

  /** @throws NotCanonical if the archive ends before its trailer */
  end(): void {
    if (this.#offset === 0) this.#refuse('the archive is empty')
    if (this.#state !== 'end') this.#refuse('the archive is cut off')
    for (const { second, words } of pathClashes(this.#paths)) this.#refuse(`${second} ${words}`)
  }

  #want(): number {
    switch (this.#state) {
      case 'header':
      case 'trailer':
        return BLOCK - this.#filled
      case 'content':
      case 'padding':
        return this.#left
      case 'end':
        return this.#refuse('bytes follow the end of the archive')
    }
  }

  #take(piece: Uint8Array): void {
    switch (this.#state) {
      case 'content':
        this.#sink.write(piece)
        this.#left -= piece.length
        if (this.#left === 0) this.#contentDone()
        return
      case 'padding':
        if (!isZero(piece)) this.#refuse(`the padding after ${this.#previous} is not zero`)
        this.#left -= piece.length
        if (this.#left === 0) this.#state = 'header'
        return
      default:
        this.#block.set(piece, this.#filled)
        this.#filled += piece.length
        if (this.#filled === BLOCK) this.#blockDone()
    }
  }

  #blockDone(): void {
    this.#filled = 0
    if (isZero(this.#block)) {
      this.#state = this.#state === 'trailer' ? 'end' : 'trailer'
      return
    }
    if (this.#state === 'trailer') this.#refuse('the archive does not end in two zero blocks')
    const header = readHeader(this.#block, this.#canonical)
    if (!header.ok) this.#refuse(header.reason)
    this.#entry(header.path, header.size)
  }

  #entry(path: string, size: number): void {
    if (this.#previous !== undefined && archiveOrder(this.#previous, path) >= 0)
      this.#refuse(
        this.#previous === path
          ? `${path} appears twice`
          : `${path} comes after ${this.#previous}; the order is fixed`,
      )
    this.#previous = path
    this.#paths.push(path)
    this.#total += size
    const held = { files: this.#paths.length, total: this.#total, last: { path, size } }
    const beyond = beyondLimits(held, this.#limits)
    if (beyond !== undefined) throw new NotCanonical(beyond, this.#offset, ASK_FOR_LESS)
    this.#sink.open(path, size, this.#canonical)
    this.#left = size
    this.#padding = paddingAfter(size)
    this.#state = 'content'
    if (size === 0) this.#contentDone()
  }

  #contentDone(): void {
    this.#sink.close()
    this.#left = this.#padding
    this.#state = this.#left === 0 ? 'header' : 'padding'
  }

  #refuse(reason: string): never {
    throw new NotCanonical(reason, this.#offset)
  }
}

function isZero(bytes: Uint8Array): boolean {
  for (let index = 0; index < bytes.length; index++) if (bytes[index] !== 0) return false
  return true
}

/** Hands everything on. */
export class UnsignedDigest implements EntrySink {
  readonly #next: EntrySink
  readonly #hash = createHash('sha256')
  #size = 0
  #counts = false

  constructor(next: EntrySink) {
    this.#next = next
  }

  open(path: string, size: number, header: Uint8Array): void {
    this.#size = size
    this.#counts = !isSignaturePath(path)
    if (this.#counts) this.#hash.update(header)
    this.#next.open(path, size, header)
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
