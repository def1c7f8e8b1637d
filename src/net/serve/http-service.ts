// A service over HTTP, from listening to its last answer. Who asks, for what, and how much at a time is decided before a body is read.
// Headers, times, connections and unanswered requests are bounded.
import { once } from 'node:events'
import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
} from 'node:http'
import { anySignal } from '../../io/wait/any-signal.ts'
import { byteLimit, SERVICE_LIMITS } from '../../model/limits.ts'
import { type AskerRules, isJsonRequest, type RefusedRequest, refusedAsker } from './asker.ts'
import { hostHeader, type ListenAddress } from './listen-address.ts'
import { listenAt } from './listen-at.ts'

export interface AskedBody {
  readonly bytes: Uint8Array
  readonly request: IncomingMessage
  /** When it was taken, as `performance.now()` says it. */
  readonly since: number
  /** Aborts when who asked is gone. */
  gone(): AbortSignal
}

/** A GET, or a POST of JSON. */
export type ServicePath =
  | { readonly method: 'GET'; readonly needsToken: boolean; answer(underWay: number): ServedAnswer }
  | { readonly method: 'POST'; answer(asked: AskedBody): Promise<ServedAnswer> }

export interface ServiceWork {
  /** For what it refuses: `gate`. */
  readonly name: string
  readonly one: OneRequest
  readonly paths: ReadonlyMap<string, ServicePath>
  /** JSON that says why nothing is answered. */
  refusal(refused: RefusedRequest): string
  onDefect(error: unknown): void
  /** Ends what is under way; without it, that is answered. */
  end?(): Promise<void>
}

export interface ServicePlace {
  readonly address: ListenAddress
  /** SHA-256 of the token that every request has to bring; undefined on a socket. */
  readonly token: Uint8Array | undefined
  /** Ends it. */
  readonly signal: AbortSignal
}

/**
 * @param onListening gets the header `Host` that requests have to have
 * @returns when it has ended
 * @throws RlpError as {@link listenAt}
 */
export async function serveAt(
  { address, token, signal }: ServicePlace,
  work: ServiceWork,
  onListening: (host: string) => Promise<void> | void,
): Promise<void> {
  const service = new HttpService(work)
  const host = hostHeader(address, await listenAt(service.server, address))
  service.rules = { host, token }
  await onListening(host)
  if (!signal.aborted) await once(signal, 'abort')
  await service.stop()
}

/** For answers that are still on their way when the work has ended, to a client that reads slowly. */
const STOP_MS = 1_000

class HttpService {
  readonly server: Server
  /** Before it is there nothing is answered. */
  rules: AskerRules | undefined
  readonly #work: ServiceWork
  readonly #underWay: UnderWay
  #isStopping = false

  constructor(work: ServiceWork) {
    this.#work = work
    this.#underWay = new UnderWay(work.one)
    this.server = boundedServer((request, response) => void this.#take(request, response))
  }

  /** Nothing more is taken. */
  async stop(): Promise<void> {
    this.#isStopping = true
    const closed = new Promise<void>(resolve => void this.server.close(() => resolve()))
    this.server.closeIdleConnections()
    await (this.#work.end === undefined ? this.#underWay.none() : this.#work.end())
    const late = setTimeout(() => this.server.closeAllConnections(), STOP_MS)
    await closed
    clearTimeout(late)
  }

  async #take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    try {
      await this.#answer(request, response)
    } catch (error) {
      this.#work.onDefect(error)
      response.destroy()
    }
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = this.#asked(request)
    if ('why' in path) return this.#refuse(request, response, path)
    if (path.method === 'GET') return this.#send(response, path.answer(this.#underWay.count))
    const taken = this.#underWay.take(request.headers['content-length'])
    if ('why' in taken) return this.#refuse(request, response, taken)
    try {
      const since = performance.now()
      if (request.headers.expect !== undefined) response.writeContinue()
      const bytes = await readRequestBody(request, this.#work.one.mostBytes)
      // Who asked is gone.
      if (bytes === undefined) return void response.destroy()
      if (bytes === 'too large') return this.#refuse(request, response, bodyTooLarge(this.#work.one))
      const answer = await path.answer({ bytes, request, since, gone: () => closing(response) })
      // A client that reads slowly takes no room, and is not waited for when it ends.
      if (typeof answer.body === 'string') taken.release()
      await this.#send(response, answer)
    } finally {
      taken.release()
    }
  }

  #asked(request: IncomingMessage): ServicePath | RefusedRequest {
    const { name, paths } = this.#work
    if (this.rules === undefined) return { status: 503, why: `The ${name} is not ready` }
    const path = paths.get(request.url ?? '')
    const refused = refusedAsker(request, this.rules, path?.method !== 'GET' || path.needsToken)
    if (refused !== undefined) return refused
    if (path === undefined)
      return { status: 404, why: `There is no such path: it is ${[...paths.keys()].join(' or ')}` }
    if (path.method !== request.method) return { status: 405, why: `This path takes ${path.method}` }
    if (path.method === 'GET') return path
    if (!isJsonRequest(request)) return { status: 415, why: 'The Content-Type is not application/json' }
    return this.#isStopping ? { status: 503, why: `The ${name} is stopping` } : path
  }

  #refuse(request: IncomingMessage, response: ServerResponse, refused: RefusedRequest): Promise<void> {
    const { status } = refused
    // What is left of its body is not read.
    response.setHeader('Connection', 'close')
    if (status === 401) response.setHeader('WWW-Authenticate', 'Bearer')
    const method = this.#work.paths.get(request.url ?? '')?.method
    if (status === 405 && method !== undefined) response.setHeader('Allow', method)
    return this.#send(response, jsonAnswer(status, this.#work.refusal(refused)))
  }

  #send(response: ServerResponse, answer: ServedAnswer): Promise<void> {
    if (this.#isStopping) response.setHeader('Connection', 'close')
    return sendAnswer(response, answer)
  }
}

/** What it cannot read as HTTP it hangs up on. */
function boundedServer(take: RequestListener): Server {
  const { headerBytes, headersMs, requestMs, idleMs, connections } = SERVICE_LIMITS
  const limits = {
    maxHeaderSize: headerBytes,
    headersTimeout: headersMs,
    requestTimeout: requestMs,
    keepAliveTimeout: idleMs,
    connectionsCheckingInterval: 1000,
  }
  const server = createServer(limits, take)
  server.maxConnections = connections
  // A program that waits for 100 has not sent its body yet: it may be refused before.
  server.on('checkContinue', take)
  server.on('clientError', (_, socket) => void socket.destroy())
  server.on('upgrade', (_, socket) => void socket.destroy())
  return server
}

/** @returns undefined if the asker went away */
function readRequestBody(
  request: IncomingMessage,
  most: number,
): Promise<Uint8Array | 'too large' | undefined> {
  return new Promise(resolve => {
    const chunks: Uint8Array[] = []
    let size = 0
    request.on('data', (chunk: Uint8Array) => {
      size += chunk.length
      if (size <= most) chunks.push(chunk)
      else {
        request.pause()
        resolve('too large')
      }
    })
    request.once('end', () => resolve(Buffer.concat(chunks)))
    request.once('close', () => resolve(undefined))
    request.once('error', () => resolve(undefined))
  })
}

interface OneRequest {
  /** For messages: `question`. */
  readonly name: string
  /** Of its body; one whose length is not said counts as so much. */
  readonly mostBytes: number
}

export class UnderWay {
  count = 0
  #bytes = 0
  #onNone: (() => void) | undefined
  readonly #one: OneRequest

  constructor(one: OneRequest) {
    this.#one = one
  }

  /** When each has its answer. */
  none(): Promise<void> {
    return new Promise(resolve => {
      if (this.count === 0) resolve()
      else this.#onNone = resolve
    })
  }

  /** @param contentLength the header @returns what may be released twice */
  take(contentLength: string | undefined): { release(): void } | RefusedRequest {
    const { name, mostBytes } = this.#one
    const bytes = contentLength === undefined ? mostBytes : Number(contentLength)
    if (!Number.isSafeInteger(bytes) || bytes > mostBytes) return bodyTooLarge(this.#one)
    const { underWay, underWayBytes } = SERVICE_LIMITS
    if (this.count >= underWay || this.#bytes + bytes > underWayBytes)
      return {
        status: 503,
        why: `${underWay} ${name}s or ${byteLimit(underWayBytes)} of them are under way: ask again`,
      }
    this.count++
    this.#bytes += bytes
    let isOver = false
    return {
      release: () => {
        if (isOver) return
        isOver = true
        this.count--
        this.#bytes -= bytes
        if (this.count === 0) this.#onNone?.()
      },
    }
  }
}

function bodyTooLarge({ name, mostBytes }: OneRequest): RefusedRequest {
  return { status: 413, why: `A ${name} has at most ${mostBytes} bytes` }
}

export interface ServedAnswer {
  readonly status: number
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | AsyncIterable<Uint8Array>
}

const ALWAYS = { 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' }

export function jsonAnswer(status: number, body: string): ServedAnswer {
  return { status, headers: { 'content-type': 'application/json' }, body }
}

async function sendAnswer(response: ServerResponse, { status, headers, body }: ServedAnswer) {
  const isText = typeof body === 'string'
  const length = isText ? { 'content-length': Buffer.byteLength(body) } : {}
  response.writeHead(status, { ...ALWAYS, ...headers, ...length })
  for await (const chunk of isText ? [body] : body) {
    if (response.destroyed) return
    // A client that asks and does not read would fill the memory with its answers. An answer that is ended before it is read is lost when the
    // server closes: Node takes its connection for idle.
    if (!response.write(chunk) && !(await isRead(response))) return void response.destroy()
  }
  response.end()
}

async function isRead(response: ServerResponse): Promise<boolean> {
  const signal = anySignal(AbortSignal.timeout(SERVICE_LIMITS.requestMs), closing(response))
  return once(response, 'drain', { signal }).then(
    () => true,
    () => {
      // It was closed, or its client took too long.
      return false
    },
  )
}

/** Aborts when who asked is gone. */
function closing(response: ServerResponse): AbortSignal {
  const closed = new AbortController()
  response.once('close', () => closed.abort())
  return closed.signal
}
