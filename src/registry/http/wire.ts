// Sends one HTTP request, and reads the body of its answer up to a limit. Certificates are always checked, no redirect is followed here,
// and the parser's limits are set here, so that no variable of the environment loosens them.
import { Agent, request as askPlain, type IncomingMessage } from 'node:http'
import { request as askSecure, Agent as SecureAgent } from 'node:https'
import type { Deadline } from '../../io/wait/deadline.ts'
import { RlpError } from '../../model/error.ts'
import { checkedLookup } from '../../net/connection.ts'
import { literalOf } from '../../policy/address.ts'
import { checkAddress, type Server } from './registry-server.ts'

/** Nothing came or went for so long. */
const IDLE_MS = 30_000
const MOST_HEADER_BYTES = 32 * 1024

export interface WireRequest {
  readonly method: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  readonly url: URL
  /** The registry on whose behalf it is sent. */
  readonly server: Server
  readonly headers: Readonly<Record<string, string>>
  readonly body?: { readonly size: number; readonly chunks: AsyncIterable<Uint8Array> } | undefined
  /** Ends the request, and all that is read of its answer. */
  readonly deadline: Deadline
}

export class RegistryWire {
  readonly #agents: { readonly plain: Agent; readonly secure: SecureAgent }

  constructor(env: Readonly<Record<string, string | undefined>>) {
    // Node itself knows proxies from 24.5 on, and only if it is told to use those of the environment.
    const proxy = env['NODE_USE_ENV_PROXY'] === '1' ? { proxyEnv: env } : {}
    const options = { keepAlive: true, maxSockets: 8 }
    // Plain http is for this machine alone, which no proxy is asked to find.
    this.#agents = { plain: new Agent(options), secure: new SecureAgent({ ...options, ...proxy }) }
  }

  close(): void {
    this.#agents.plain.destroy()
    this.#agents.secure.destroy()
  }

  /** @throws the system's, the parser's or OpenSSL's error, with its `code`; the reason of an aborted signal */
  send(request: WireRequest): Promise<IncomingMessage> {
    return request.deadline.waiting(() => this.#sent(request))
  }

  async #sent({ method, url, server, headers, body, deadline }: WireRequest): Promise<IncomingMessage> {
    const { signal } = deadline
    const isSecure = url.protocol === 'https:'
    const literal = literalOf({ host: url.hostname })
    // No name is looked up for it.
    if (literal !== undefined) checkAddress(literal, url, server)
    const options = {
      method,
      agent: isSecure ? this.#agents.secure : this.#agents.plain,
      headers: {
        'accept-encoding': 'identity',
        'user-agent': 'rlp',
        ...headers,
        ...((body !== undefined || method === 'POST') && { 'content-length': String(body?.size ?? 0) }),
      },
      insecureHTTPParser: false,
      maxHeaderSize: MOST_HEADER_BYTES,
      timeout: IDLE_MS,
      // The name of a proxy is looked up here as well.
      lookup: checkedLookup((address, host) => {
        if (host === url.hostname) checkAddress(address, url, server)
      }),
      signal,
    }
    return new Promise((resolve, reject) => {
      const sent = isSecure
        ? askSecure(url, { ...options, rejectUnauthorized: true, minVersion: 'TLSv1.2' })
        : askPlain(url, options)
      let failure: unknown
      let isWhole = body === undefined
      sent.once('response', answer => {
        // A server that refuses a body early need not get the rest of it.
        if (!isWhole && (answer.statusCode ?? 0) >= 300) answer.once('close', () => sent.destroy())
        resolve(answer)
      })
      sent.once('timeout', () => sent.destroy(Object.assign(new Error('no answer'), { code: 'ETIMEDOUT' })))
      // Kept after the head has arrived: the reader of the body gets later errors.
      sent.on('error', error => reject(failure ?? error))
      if (body === undefined) sent.end()
      else {
        const fed = feed(sent, body.chunks, deadline).then(() => {
          isWhole = true
        })
        fed.catch(error => {
          // An early answer closes the request while its body is still on the way; then the answer counts.
          failure = error
          sent.destroy(error instanceof Error ? error : new Error(String(error)))
        })
      }
    })
  }
}

interface Sink {
  write(chunk: Uint8Array): boolean
  end(): void
  once(event: 'drain' | 'close', listener: () => void): unknown
  off(event: 'drain' | 'close', listener: () => void): unknown
  readonly destroyed: boolean
}

async function feed(sink: Sink, chunks: AsyncIterable<Uint8Array>, deadline: Deadline): Promise<void> {
  for await (const chunk of chunks) {
    if (sink.destroyed) return
    const isTaken = sink.write(chunk)
    deadline.moved(chunk.length)
    if (isTaken) continue
    await new Promise<void>(resolve => {
      const go = () => {
        sink.off('drain', go)
        sink.off('close', go)
        resolve()
      }
      sink.once('drain', go)
      sink.once('close', go)
    })
  }
  sink.end()
}

/** The caller destroys the answer. @throws what the connection throws, and the reason of the deadline's signal */
export async function* bytesOf(answer: IncomingMessage, deadline: Deadline): AsyncGenerator<Uint8Array> {
  const chunks: AsyncIterator<Uint8Array> = answer[Symbol.asyncIterator]()
  for (;;) {
    // What is done with the bytes is not the registry's time.
    const next = await deadline.waiting(() => chunks.next())
    if (next.done === true) return
    deadline.moved(next.value.length)
    yield next.value
  }
}

/** @throws RlpError STORE for more bytes, or bytes in a form that was not asked for; as {@link bytesOf} */
export async function readSmall(
  answer: IncomingMessage,
  most: number,
  doing: string,
  deadline: Deadline,
): Promise<Uint8Array> {
  refuseEncoded(answer, doing)
  const chunks: Uint8Array[] = []
  let size = 0
  try {
    for await (const chunk of bytesOf(answer, deadline)) {
      size += chunk.length
      if (size > most)
        throw new RlpError('STORE', `Cannot ${doing}: the answer is too large, more than ${most} bytes`, {
          hint: 'Check that this is a registry, and the reference',
        })
      chunks.push(chunk)
    }
  } finally {
    answer.destroy()
  }
  return Buffer.concat(chunks)
}

/** An answer that is not needed. Its connection is used again if it ends soon. */
export async function skip(answer: IncomingMessage, deadline: Deadline, most = 64 * 1024): Promise<void> {
  let size = 0
  try {
    for await (const chunk of bytesOf(answer, deadline)) {
      size += chunk.length
      if (size > most) return
    }
  } catch {
    // What came before the connection broke was not wanted either; the next request hears that the time is over.
  } finally {
    if (!answer.complete) answer.destroy()
  }
}

/** The digest is one of the bytes as they are stored. */
export function refuseEncoded({ headers }: IncomingMessage, doing: string): void {
  const encoding = headers['content-encoding']
  if (encoding === undefined || encoding === 'identity') return
  throw new RlpError('STORE', `Cannot ${doing}: the answer is compressed, which was not asked for`, {
    hint: 'Ask who keeps the registry to send content as it is stored',
  })
}
