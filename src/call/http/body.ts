// The content of an answer → its first bytes and their total. Some servers compress without being asked: such content is expanded as it
// arrives, and the expanded bytes are counted.
import type { IncomingMessage } from 'node:http'
import { pipeline, type Readable } from 'node:stream'
import { finished } from 'node:stream/promises'
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib'
import { type Kept, keepOutput } from '../../io/process/kept-output.ts'

export interface Body extends Kept {
  /** The rest was not read. */
  readonly isStopped: boolean
}

const DECODERS = new Map([
  ['gzip', createGunzip],
  ['x-gzip', createGunzip],
  ['deflate', createInflate],
  ['br', createBrotliDecompress],
])

/** Reads this many times the kept bytes, to report the total; then the connection is closed. */
const READ_FACTOR = 4

/** Undefined if the content encoding is unknown. */
export function plainBody(response: IncomingMessage): Readable | undefined {
  const encoding = (response.headers['content-encoding'] ?? '').trim().toLowerCase()
  if (encoding === '' || encoding === 'identity') return response
  const decoder = DECODERS.get(encoding)?.()
  // The reader of the decoder gets the errors of both.
  return decoder && pipeline(response, decoder, () => {})
}

/**
 * @param most bytes that are kept
 * @throws the connection's or the decoder's error, with its `code`
 */
export async function readBody(content: Readable, most: number): Promise<Body> {
  const kept = keepOutput(content, most)
  let bytes = 0
  let isStopped = false
  content.on('data', (chunk: Buffer) => {
    bytes += chunk.length
    if (bytes < most * READ_FACTOR) return
    isStopped = true
    // This closes the connection too.
    content.destroy()
  })
  try {
    await finished(content)
  } catch (error) {
    // After our own destroy, a premature end is expected.
    if (!isStopped) throw error
  }
  return { ...kept(), isStopped }
}
