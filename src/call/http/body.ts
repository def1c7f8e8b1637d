// The content of an answer → its first bytes and how many there were. Servers compress although nobody asked: what they send is expanded
// as it comes, and what is counted is what it expands to.
import type { IncomingMessage } from 'node:http'
import { pipeline, type Readable } from 'node:stream'
import { finished } from 'node:stream/promises'
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib'
import { type Kept, keepOutput } from '../../io/process/kept-output.ts'

export interface Body extends Kept {
  /** More was to come and was not read. */
  readonly isStopped: boolean
}

const DECODERS = new Map([
  ['gzip', createGunzip],
  ['x-gzip', createGunzip],
  ['deflate', createInflate],
  ['br', createBrotliDecompress],
])

/** So many times the bytes that are kept are read, to say how much there was; then the connection is closed. */
const READ_FACTOR = 4

/** Undefined when the content is in no encoding that is known here. */
export function plainBody(response: IncomingMessage): Readable | undefined {
  const encoding = (response.headers['content-encoding'] ?? '').trim().toLowerCase()
  if (encoding === '' || encoding === 'identity') return response
  const decoder = DECODERS.get(encoding)?.()
  // An error of either reaches whoever reads the decoder.
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
    // And with it the connection.
    content.destroy()
  })
  try {
    await finished(content)
  } catch (error) {
    // Destroyed by us, it ends too early.
    if (!isStopped) throw error
  }
  return { ...kept(), isStopped }
}
