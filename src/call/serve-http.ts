// Requests over HTTP → messages of MCP clients, many at once, and their answers. Who asks, and how much at a time, is decided before a message
// is read. Nothing is kept from one request to the next but what McpRequests keeps.
import { once } from 'node:events'
import { MESSAGE_LIMITS, SERVICE_LIMITS } from '../model/limits.ts'
import { isTable } from '../model/own.ts'
import { type AskerRules, isJsonRequest, type RefusedRequest, refusedAsker } from '../net/serve/asker.ts'
import {
  type AskRequest,
  type AskResponse,
  type BoundedServer,
  boundedServer,
} from '../net/serve/bounded-server.ts'
import { hostHeader, type PortAddress } from '../net/serve/listen-address.ts'
import { listenAt } from '../net/serve/listen-at.ts'
import { readRequestBody } from '../net/serve/request-body.ts'
import { bodyTooLarge, UnderWay } from '../net/serve/under-way.ts'
import { RefusedMessage } from './line-transport.ts'
import type { McpRequests } from './serve-mcp.ts'
import { strictly } from './strict-message.ts'

export interface HttpPlace {
  readonly address: PortAddress
  /** SHA-256 of the token that every request has to bring. */
  readonly token: Uint8Array
  /** Ends the server. */
  readonly signal: AbortSignal
  /** Reports protocol errors, for people. */
  readonly trouble: (message: string) => void
}

/** @param onListening gets the URL that a client is told @throws RlpError as {@link listenAt} */
export async function serveHttp(
  requests: McpRequests,
  { address, token, signal, trouble }: HttpPlace,
  onListening: (url: string) => Promise<void>,
): Promise<void> {
  const service = new McpService(requests, trouble)
  const port = await listenAt(service.server, address)
  const host = hostHeader(address, port)
  service.open({ host, token })
  await onListening(`http://${host}${PATH}`)
  if (!signal.aborted) await once(signal, 'abort')
  await service.stop()
}

/** The one path, and what is told where another is asked for. */
const PATH = '/mcp'
const MESSAGE = { name: 'message', mostBytes: MESSAGE_LIMITS.bytes }
/** For answers that are still on their way when the server ends. */
const STOP_MS = 1_000

class McpService {
  readonly server: BoundedServer
  readonly #requests: McpRequests
  readonly #trouble: (message: string) => void
  readonly #underWay = new UnderWay(MESSAGE)
  #rules: AskerRules | undefined
  #isStopping = false

  constructor(requests: McpRequests, trouble: (message: string) => void) {
    this.#requests = requests
    this.#trouble = trouble
    this.server = boundedServer((request, response) => void this.#take(request, response))
  }

  /** Before this nothing is answered. */
  open(rules: AskerRules): void {
    this.#rules = rules
  }

  /** Ends the calls that still run. */
  async stop(): Promise<void> {
    this.#isStopping = true
    const closed = new Promise<void>(resolve => void this.server.close(() => resolve()))
    this.server.closeIdleConnections()
    await this.#requests.end()
    const late = setTimeout(() => this.server.closeAllConnections(), STOP_MS)
    await closed
    clearTimeout(late)
  }

  async #take(request: AskRequest, response: AskResponse): Promise<void> {
    try {
      await this.#answer(request, response)
    } catch (error) {
      this.#trouble(error instanceof Error ? error.message : String(error))
      response.destroy()
    }
  }

  async #answer(request: AskRequest, response: AskResponse): Promise<void> {
    const refusal = this.#refusal(request)
    if (refusal !== undefined) return refuse(response, refusal)
    const taken = this.#underWay.take(request.headers['content-length'])
    if ('status' in taken) return refuse(response, taken)
    try {
      if (request.headers.expect !== undefined) response.writeContinue()
      const bytes = await readRequestBody(request, MESSAGE.mostBytes)
      // Who asked is gone.
      if (bytes === undefined) return void response.destroy()
      if (bytes === 'too large') return refuse(response, bodyTooLarge(MESSAGE))
      const read = messageIn(bytes)
      if ('refused' in read) return say(response, 400, read.refused)
      const gone = new AbortController()
      response.once('close', () => gone.abort())
      await send(response, await this.#requests.answer(asked(request, gone.signal), read.message))
    } finally {
      taken.release()
    }
  }

  #refusal(request: AskRequest): RefusedRequest | undefined {
    const rules = this.#rules
    if (rules === undefined) return { status: 503, why: 'The server is not ready' }
    const refused = refusedAsker(request, rules, true)
    if (refused !== undefined) return refused
    if (request.url !== PATH) return { status: 404, why: `There is no such path: it is ${PATH}` }
    // Clients of earlier revisions may try GET for a stream, and DELETE to end a session. This server has neither.
    if (request.method !== 'POST') return { status: 405, why: 'This path takes POST' }
    if (!isJsonRequest(request)) return { status: 415, why: 'The Content-Type is not application/json' }
    return this.#isStopping ? { status: 503, why: 'The server is stopping' } : undefined
  }
}

const read = strictly((text: string) => JSON.parse(text) as object)

function messageIn(bytes: Uint8Array): { readonly message: object } | { readonly refused: object } {
  try {
    const message = read(Buffer.from(bytes).toString())
    return isTable(message)
      ? { message }
      : { refused: errorOf(INVALID_REQUEST, 'A request holds one message') }
  } catch (error) {
    if (error instanceof RefusedMessage) return { refused: error.answer as object }
    const problem = error instanceof Error ? error.message : String(error)
    return { refused: errorOf(PARSE_ERROR, `The message could not be read: ${problem}`) }
  }
}

const PARSE_ERROR = -32700
const INVALID_REQUEST = -32600
/** What is refused before a message is read. */
const REFUSED = -32000

function errorOf(code: number, message: string): object {
  return { jsonrpc: '2.0', id: null, error: { code, message } }
}

/** In the form that the package takes. The body is handed over beside it. */
function asked({ rawHeaders, headers }: AskRequest, signal: AbortSignal): Request {
  const all = new Headers()
  for (let at = 0; at < rawHeaders.length; at += 2)
    all.append(String(rawHeaders[at]), String(rawHeaders[at + 1]))
  return new Request(`http://${headers.host}${PATH}`, { method: 'POST', headers: all, signal })
}

function refuse(response: AskResponse, { status, why }: RefusedRequest): void {
  // What is left of its body is not read.
  response.setHeader('Connection', 'close')
  if (status === 401) response.setHeader('WWW-Authenticate', 'Bearer')
  if (status === 405) response.setHeader('Allow', 'POST')
  say(response, status, errorOf(REFUSED, why))
}

function say(response: AskResponse, status: number, message: object): void {
  const body = `${JSON.stringify(message)}\n`
  response.writeHead(status, {
    ...ALWAYS,
    'Content-Type': 'application/json',
    'Content-Length': Buffer.byteLength(body),
  })
  response.end(body)
}

const ALWAYS = { 'Cache-Control': 'no-store', 'X-Content-Type-Options': 'nosniff' }

async function send(response: AskResponse, answer: Response): Promise<void> {
  for (const [name, value] of Object.entries(ALWAYS)) response.setHeader(name, value)
  response.writeHead(answer.status, Object.fromEntries(answer.headers))
  for await (const chunk of answer.body ?? []) {
    if (response.destroyed) return
    // A client that asks and does not read would fill the memory with its answers.
    if (!response.write(chunk) && !(await isRead(response))) return void response.destroy()
  }
  response.end()
}

async function isRead(response: AskResponse): Promise<boolean> {
  const signal = AbortSignal.any([AbortSignal.timeout(SERVICE_LIMITS.requestMs), closing(response)])
  return once(response, 'drain', { signal }).then(
    () => true,
    () => {
      // It was closed, or its client took too long.
      return false
    },
  )
}

function closing(response: AskResponse): AbortSignal {
  const closed = new AbortController()
  response.once('close', () => closed.abort())
  return closed.signal
}
