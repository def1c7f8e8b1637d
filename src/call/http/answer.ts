// An answer other than a redirect → its text, or a failure.
import type { IncomingMessage } from 'node:http'
import { pipeline, type Readable } from 'node:stream'
import { finished } from 'node:stream/promises'
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib'
import { type Kept, keepOutput } from '../../io/process/kept-output.ts'
import type { RunRefusal, RunRequest } from '../../model/run.ts'
import { quoteText } from '../../text/quote.ts'
import { shownText } from '../shown-text.ts'
import { connectionFailure } from './failure.ts'
import { statusFailure } from './status.ts'

/** What a run has seen so far, also if it fails. */
export interface SeenBytes {
  started: boolean
  exit: number
  outputBytes: number
  truncated: boolean
  readonly notices: string[]
}

/** Bytes of an error's body that are read. */
const ERROR_BYTES = 8192

/**
 * @param signal of the whole run
 * @throws the connection's or the decoder's error, with its `code`
 */
export async function readAnswer(
  response: IncomingMessage,
  request: RunRequest,
  seen: SeenBytes,
  signal: AbortSignal,
): Promise<string | RunRefusal> {
  const { statusCode: status = 0, headers } = response
  if (status < 200 || status > 299) {
    const piece = shownText(await readPiece(response, seen, signal), request)
    return statusFailure(status, piece, headers['retry-after'])
  }
  const content = plainBody(response)
  if (content === undefined) {
    const encoding = quoteText(shownText(headers['content-encoding'] ?? '', request))
    const message = `The server answered in the content encoding ${encoding}, which was not asked for`
    return { kind: 'execution_error', message, retryable: false, extra: { status } }
  }
  const body = await readBody(content, request.limits.outputBytes)
  note(body, request.limits.outputBytes, seen)
  return !body.isCut && body.text.trim() === '' ? 'null' : body.text
}

function note({ bytes, isCut, isText, isStopped }: Body, most: number, seen: SeenBytes): void {
  seen.outputBytes = bytes
  seen.truncated = isCut
  if (isCut) {
    const all = isStopped ? `more than ${bytes}` : `${bytes}`
    seen.notices.push(`The answer was cut: the first ${most} of ${all} bytes were kept`)
  }
  if (!isText) seen.notices.push('The answer is not UTF-8: what cannot be read was replaced')
}

/** A short message from an error's body; HTML pages are too long for one. */
async function readPiece(response: IncomingMessage, seen: SeenBytes, signal: AbortSignal): Promise<string> {
  const content = plainBody(response)
  if (content === undefined || /html/i.test(response.headers['content-type'] ?? '')) return ''
  try {
    const { text, bytes, isText } = await readBody(content, ERROR_BYTES)
    seen.outputBytes = bytes
    return isText ? text : ''
  } catch (error) {
    // The status is enough, unless the whole run is over.
    if (signal.aborted || connectionFailure(error, '', true) === undefined) throw error
    return ''
  }
}

/**
 * The content of an answer → its first bytes and their total. Some servers compress without being asked: such content is expanded as it
 * arrives, and the expanded bytes are counted.
 */
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
