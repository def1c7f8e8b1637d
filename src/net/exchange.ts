// One request over one connection → the head of its answer. Parser limits are stated here, so that no NODE_OPTIONS loosens them.
import { type IncomingMessage, request as startRequest } from 'node:http'
import type { Socket } from 'node:net'

/** Bytes of all headers of an answer. */
const MOST_HEADER_BYTES = 16 * 1024

export interface HttpRequest {
  readonly method: string
  /** Absolute, without fragment. */
  readonly url: string
  /** Without what follows from url and body: `host`, `content-length`, `connection`. */
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
    // Nobody asked for another protocol.
    sent.once('upgrade', () => reject(Object.assign(new Error('upgrade'), { code: 'HPE_UPGRADE' })))
    // Stays: what happens after the head reaches whoever reads the body.
    sent.on('error', reject)
    // The request takes the socket over a moment from now, and does not hear of an end before that.
    const onClose = () => reject(Object.assign(new Error('closed'), { code: 'ECONNRESET' }))
    if (socket.destroyed) onClose()
    else socket.once('close', onClose)
    sent.end(body)
  })
}
