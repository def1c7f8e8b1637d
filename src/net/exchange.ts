// One request over one connection → the head of its answer. The parser's limits are set here, so that
// NODE_OPTIONS cannot loosen them.
import { type IncomingMessage, request as startRequest } from 'node:http'
import type { Socket } from 'node:net'

/** Bytes of all headers of an answer. */
const MOST_HEADER_BYTES = 16 * 1024

export interface HttpRequest {
  readonly method: string
  /** Absolute, without fragment. */
  readonly url: string
  /** Without `host`, `content-length` and `connection`, which follow from url and body. */
  readonly headers: readonly (readonly [name: string, value: string])[]
  readonly body: string | undefined
}

/**
 * Without an agent: Node gives agents a proxy from the environment, and keeps their connections for the next request.
 *
 * @throws the system's or the parser's error, with its `code`
 */
export function exchange(socket: Socket, request: HttpRequest): Promise<IncomingMessage> {
  const { method, url, headers, body } = request
  const { host, pathname, search } = new URL(url)
  return new Promise((resolve, reject) => {
    const sent = startRequest({
      createConnection: () => socket,
      method,
      path: `${pathname}${search}`,
      setHost: false,
      insecureHTTPParser: false,
      maxHeaderSize: MOST_HEADER_BYTES,
    })
    sent.setHeader('host', host)
    for (const [name, value] of headers) sent.setHeader(name, value)
    if (body !== undefined) sent.setHeader('content-length', Buffer.byteLength(body))
    sent.once('response', resolve)
    // No other protocol was asked for.
    sent.once('upgrade', () => reject(Object.assign(new Error('upgrade'), { code: 'HPE_UPGRADE' })))
    // Kept after the head has arrived: the reader of the body gets later errors.
    sent.on('error', reject)
    // The request takes over the socket a moment later. Until then it does not hear of an end.
    const onClose = () => reject(Object.assign(new Error('closed'), { code: 'ECONNRESET' }))
    if (socket.destroyed) onClose()
    else socket.once('close', onClose)
    sent.end(body)
  })
}
