// Connects to checked addresses, with TLS for https, and sends one request over such a connection. Only addresses are dialled, never
// names. The environment (proxies, NODE_TLS_REJECT_UNAUTHORIZED, NODE_OPTIONS) changes nothing.

import { type IncomingMessage, request as startRequest } from 'node:http'
import { connect as dialTcp, type Socket } from 'node:net'
import { connect as startTls } from 'node:tls'
import { literalOf } from '../policy/address.ts'
import type { NetTarget } from './target.ts'

/** The wire. A test replaces it to play the internet. */
export interface Wire {
  /** Begins to connect. `address` is an IP address. */
  dial(address: string, port: number): Socket
  /** Certificates to trust in place of the system's, as PEM. */
  readonly ca?: string
}

export const WIRE: Wire = { dial: (address, port) => dialTcp({ host: address, port }) }

/** Addresses that are tried. Names with more addresses list the same servers. */
const MOST_TRIED = 4
/** Milliseconds before the next address is tried. The last address has all the remaining time. */
const NEXT_AFTER = 2500

/**
 * Connects to the first address that answers. The socket is destroyed when the signal aborts, now or later.
 *
 * @throws the system's or OpenSSL's error, with its `code`
 */
export async function connect(target: NetTarget, wire: Wire, signal: AbortSignal): Promise<Socket> {
  const plain = await dialTarget(target, wire, signal)
  if (target.scheme === 'http') return plain
  const literal = literalOf(target)
  const secure = startTls({
    socket: plain,
    // Names are sent and checked; an address is only checked (RFC 6066 §3).
    ...(literal === undefined ? { host: target.host, servername: target.host } : { host: literal }),
    rejectUnauthorized: true,
    minVersion: 'TLSv1.2',
    ALPNProtocols: ['http/1.1'],
    ca: wire.ca,
  })
  await opened(secure, 'secureConnect', signal)
  return secure
}

/** The same without encryption, whatever the scheme is: the program at the other end encrypts. */
export async function dialTarget(
  { addresses, port }: NetTarget,
  wire: Wire,
  signal: AbortSignal,
): Promise<Socket> {
  const tried = addresses.slice(0, MOST_TRIED)
  let last: unknown
  for (const [index, address] of tried.entries()) {
    const isLast = index === tried.length - 1
    const socket = wire.dial(address, port)
    try {
      await opened(socket, 'connect', signal, isLast ? undefined : NEXT_AFTER)
      return socket
    } catch (error) {
      // Try the next address. If all fail, the caller sees the last error.
      last = error
      if (signal.aborted) break
    }
  }
  throw last
}

/** Waits for a socket to be open, no longer than `ms` milliseconds. */
function opened(
  socket: Socket,
  event: 'connect' | 'secureConnect',
  signal: AbortSignal,
  ms?: number,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const late = () => socket.destroy(Object.assign(new Error('no answer'), { code: 'ETIMEDOUT' }))
    const timer = ms === undefined ? undefined : setTimeout(late, ms)
    // A socket that the signal destroyed only closes: no error follows.
    signal.addEventListener('abort', () => socket.destroy(), { once: true })
    socket.once('close', () => {
      clearTimeout(timer)
      reject(Object.assign(new Error('closed'), { code: 'ECONNRESET' }))
    })
    // Kept for the life of the socket: an error without a listener ends the process.
    socket.on('error', reject)
    socket.once(event, () => {
      clearTimeout(timer)
      resolve()
    })
    if (signal.aborted) socket.destroy()
  })
}

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
