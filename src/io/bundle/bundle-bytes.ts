// The chunks of a bundle that come from memory or from a stream of the caller, and the digests of chunks that pass by. Ctrl-C is noticed
// between two chunks.

import { createHash } from 'node:crypto'
import { isUint8Array } from 'node:util/types'
import { type Hasher, hasher } from '../../bundle/blake3.ts'
import { HEAD_BYTES } from '../../bundle/wrappers/index.ts'
import { RlpError, UsageError } from '../../model/error.ts'
import type { OnProgress } from '../../model/progress.ts'
import { ioError } from '../fail.ts'
import { breathe } from '../wait/breathe.ts'
import { orAborted } from '../wait/or-aborted.ts'

/** Where the bytes of a bundle come from: the path of a file or an unpacked bundle, the bytes, or a stream of them. */
export type BundleInput = string | Uint8Array | AsyncIterable<Uint8Array>

/** What it is called in messages, if the caller does not say. */
export function labelOf(source: BundleInput): string {
  if (typeof source === 'string') return source
  return isUint8Array(source) ? '<bytes>' : '<stream>'
}

export async function* inMemory(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  // As opening a file does.
  await breathe()
  yield bytes
}

/**
 * The same chunks. A stream that fails is like a disk that fails; one that hangs is left when `signal` aborts.
 *
 * @throws RlpError IO with the stream's error as its cause, CANCELLED, USAGE for chunks that are not bytes
 */
export async function* fromCaller(
  stream: AsyncIterable<Uint8Array>,
  label: string,
  signal: AbortSignal | undefined,
): AsyncGenerator<Uint8Array> {
  const iterator = stream[Symbol.asyncIterator]()
  let isOver = false
  try {
    while (true) {
      const next = await orAborted(iterator.next(), signal, () => cancelled(label))
      if (next.done) {
        isOver = true
        return
      }
      const chunk: unknown = next.value
      if (!isUint8Array(chunk))
        throw new UsageError(`Cannot read "${label}": the stream gives ${typeof chunk}, not bytes`, {
          hint: 'Read it without an encoding, so that each chunk is a Uint8Array',
        })
      // A copy: many sources use one buffer for all of their chunks.
      yield new Uint8Array(chunk)
    }
  } catch (cause) {
    if (cause instanceof RlpError) throw cause
    isOver = true
    const known = ioError(`read "${label}"`, cause)
    if (known instanceof RlpError) throw known
    throw new RlpError('IO', `Cannot read "${label}": its source failed: ${wordsOf(cause)}`, { cause })
  } finally {
    // Not waited for: a source that hangs would hang here too. A later error of it is ignored.
    if (!isOver) void Promise.allSettled([iterator.return?.()])
  }
}

function wordsOf(cause: unknown): string {
  return cause instanceof Error ? cause.message : String(cause)
}

function cancelled(label: string): RlpError {
  return new RlpError('CANCELLED', `Cancelled while reading "${label}"`)
}

/** The first chunk; more than one where a stream begins with less than tells an archive from a wrapper. */
export async function headOf(chunks: AsyncIterator<Uint8Array>): Promise<Uint8Array> {
  let head: Uint8Array = new Uint8Array()
  while (head.length < HEAD_BYTES) {
    const next = await chunks.next()
    if (next.done) break
    head = head.length === 0 ? next.value : Buffer.concat([head, next.value])
  }
  return head
}

export async function* counting(
  chunks: AsyncIterable<Uint8Array>,
  what: string,
  total: number | undefined,
  onProgress: OnProgress,
): AsyncGenerator<Uint8Array> {
  let done = 0
  for await (const chunk of chunks) {
    yield chunk
    done += chunk.length
    onProgress({ what, done, total, unit: 'bytes' })
  }
}

export async function* prepend(
  first: Uint8Array,
  rest: AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  if (first.length > 0) yield first
  yield* rest
}

export async function* stopWhenAborted(
  chunks: AsyncIterable<Uint8Array>,
  label: string,
  signal: AbortSignal | undefined,
): AsyncGenerator<Uint8Array, void, undefined> {
  for await (const chunk of chunks) {
    if (signal?.aborted) throw cancelled(label)
    yield chunk
  }
}

export class StreamSha256 {
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

export class StreamBlake3 {
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
