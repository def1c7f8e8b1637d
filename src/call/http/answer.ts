// An answer other than a redirect → its text, or a failure.
import type { IncomingMessage } from 'node:http'
import { quoteText } from '../../format/text/quote.ts'
import type { RunRefusal, RunRequest } from '../../model/run.ts'
import { shownText } from '../shown-text.ts'
import { type Body, plainBody, readBody } from './body.ts'
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
