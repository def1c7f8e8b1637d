// One HTTP request → the head of its answer, with the body to be read. Certificates are always checked, no redirect is followed here, and
// the parser's limits are set here, so that no variable of the environment loosens them.
import { Agent, request as askPlain, type IncomingMessage } from 'node:http'
import { request as askSecure, Agent as SecureAgent } from 'node:https'
import type { Deadline } from '../../io/wait/deadline.ts'
import { checkedLookup } from '../../net/connection.ts'
import { literalOf } from '../../policy/reached.ts'
import { checkAddress, type Server } from './base.ts'

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
