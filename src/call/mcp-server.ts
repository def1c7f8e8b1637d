// An MCP server of the revision 2026-07-28 and of those before, on a pair of streams or for requests over HTTP. It knows the protocol and
// nothing of bundles. A question to the client's user holds for one call, and its answer can be used once.

import { randomBytes, randomUUID } from 'node:crypto'
import { blake3Hex } from '../bundle/blake3.ts'
import { serialize } from '../contract/serialize.ts'
import {
  CLIENT_CAPABILITIES_META_KEY,
  type ClientCapabilities,
  createMcpHandler,
  createRequestStateCodec,
  deserializeMessage,
  inputRequired,
  inputResponse,
  ProtocolError,
  ProtocolErrorCode,
  Server,
  type ServerContext,
  serializeMessage,
  serveStdio,
} from './mcp-library.ts'
import { LineTransport, type Streams, sendable, strictly, tooLong, Unanswered } from './mcp-messages.ts'
import { METHODS, type MethodName } from './methods/index.ts'
import { type Method, type MethodAnswer, MethodRefused, PendingCalls } from './methods/method.ts'
import { AskFirst, type Served } from './served.ts'

/**
 * Serves until the input ends and all that came before is answered, or until `signal` aborts. Then every running call is aborted, and this
 * returns after the last has ended.
 */
export async function serveMcp(served: Served, info: ServerInfo, streams: Streams): Promise<void> {
  const servers = new McpServers(served, info, streams.trouble)
  const transport = new LineTransport(
    streams,
    { read: strictly(deserializeMessage), write: serializeMessage, instead: tooLong },
    new Unanswered(() => servers.pending.isBusy),
  )
  const stop = () => void transport.close()
  streams.signal.addEventListener('abort', stop, { once: true })
  serveStdio(({ era }) => servers.of(era), {
    transport,
    maxSubscriptions: MOST_SUBSCRIPTIONS,
    onerror: error => servers.tell(error),
  })
  if (streams.signal.aborted) stop()
  await transport.closed
  streams.signal.removeEventListener('abort', stop)
  // Of two requests with one id the package forgets the first, which would then run on.
  await servers.pending.end()
}

/** Answers requests over HTTP, each by a server of its own. What is counted and what is under way is shared by all of them. */
export interface McpRequests {
  /** @param body its JSON value, read strictly */
  answer(request: Request, body: unknown): Promise<Response>
  /** Ends the calls that still run, and returns after the last. */
  end(): Promise<void>
}

export function mcpRequests(
  served: Served,
  info: ServerInfo,
  trouble: (message: string) => void,
): McpRequests {
  const servers = new McpServers(served, info, trouble)
  const handler = createMcpHandler(({ era }) => servers.of(era, sendable), {
    maxSubscriptions: MOST_SUBSCRIPTIONS,
    onerror: error => servers.tell(error),
  })
  return {
    answer: (request, body) => handler.fetch(request, { parsedBody: body }),
    async end() {
      await handler.close()
      await servers.pending.end()
    },
  }
}

/** Streams of one client, or of all of them over HTTP, on which it is told of changes. */
const MOST_SUBSCRIPTIONS = 16

export interface ServerInfo {
  readonly name: string
  readonly version: string
  readonly instructions: string | undefined
}

/** `modern` is 2026-07-28; `legacy` is what begins with `initialize`. */
type Era = 'legacy' | 'modern'

type Last = (answer: MethodAnswer) => MethodAnswer

/** What outlives the server of one request, or of one connection. */
class McpServers {
  readonly served: Served
  readonly pending = new PendingCalls()
  readonly #info: ServerInfo
  readonly #trouble: (message: string) => void
  readonly #told = new WeakSet<Error>()
  readonly #asked = new AskedCalls()
  // A key of this process: a state that another one has made holds nothing here.
  readonly #states = createRequestStateCodec<AskedState>({ key: randomBytes(32), ttlSeconds: ASKED_SECONDS })

  constructor(served: Served, info: ServerInfo, trouble: (message: string) => void) {
    this.served = served
    this.#info = info
    this.#trouble = trouble
  }

  /** The package tells some errors of a connection twice: of the connection, and of its server. */
  tell(error: Error): void {
    if (this.#told.has(error)) return
    this.#told.add(error)
    this.#trouble(error.message)
  }

  /** @param last what becomes of an answer before it is sent */
  of(era: Era, last: Last = answer => answer): Server {
    const { served } = this
    const trouble = this.#trouble
    const { name, version, instructions } = this.#info
    const server = new Server(
      { name, version },
      {
        capabilities: Object.fromEntries(
          METHODS.map(({ capability }) => [capability, served.onChange ? { listChanged: true } : {}]),
        ),
        ...(instructions !== undefined && { instructions }),
        // The only schema that is checked here is that of the question below, whose answer is read strictly there.
        jsonSchemaValidator: {
          getValidator: () => input => ({ valid: true, data: input as never, errorMessage: undefined }),
        },
        requestState: { verify: this.#states.verify },
      },
    )
    server.onerror = error => this.tell(error)
    const listen = () =>
      served.onChange?.(() => {
        if (server.transport === undefined) return
        server
          .sendToolListChanged()
          .catch(error => trouble(`a change of the tools could not be told: ${wordsOf(error)}`))
      })
    // Before that, an old client takes no notification. A new one gets those that it has asked for.
    if (era === 'legacy') server.oninitialized = listen
    else listen()
    for (const method of METHODS)
      server.setRequestHandler(method.name, async ({ params = {} }, context) => {
        return (await this.#answer(method, params, context, { server, era, last })) as never
      })
    return server
  }

  async #answer(
    method: Method & { readonly name: MethodName },
    params: Readonly<Record<string, unknown>>,
    { mcpReq }: ServerContext,
    { server, era, last }: { readonly server: Server; readonly era: Era; readonly last: Last },
  ): Promise<MethodAnswer> {
    const state = mcpReq.requestState<AskedState>()
    const call: NamedCall = { name: String(params['name']), arguments: params['arguments'] ?? {} }
    try {
      if (state !== undefined) this.#use(state, call)
      const answer = await method.answer(
        {
          params: { ...params, ...(mcpReq._meta && { _meta: mcpReq._meta }) },
          signal: mcpReq.signal,
          confirm: async (question, signal) =>
            era === 'legacy' ? elicited(server, question, signal) : broughtAlong(mcpReq, state, question),
          notify: (method, params) =>
            void mcpReq
              .notify({ method, params: { ...params } })
              .catch(error => this.#trouble(`progress could not be sent: ${wordsOf(error)}`)),
        },
        this,
      )
      return last(answer)
    } catch (error) {
      if (error instanceof AskFirst) {
        const { question } = error
        return inputRequired({
          inputRequests: { [ASKED]: inputRequired.elicit(confirmForm(question)) },
          requestState: await this.#states.mint(this.#asked.stateOf(call, question)),
        })
      }
      throw error instanceof MethodRefused ? new ProtocolError(REFUSALS[error.is], error.message) : error
    }
  }

  #use(state: AskedState, call: NamedCall): void {
    const problem = this.#asked.use(state, call)
    if (problem !== undefined)
      throw new MethodRefused('invalid_params', `The requestState of this call cannot be used: ${problem}.`)
  }
}

const REFUSALS: Readonly<Record<MethodRefused['is'], ProtocolErrorCode>> = {
  invalid_params: ProtocolErrorCode.InvalidParams,
  internal_error: ProtocolErrorCode.InternalError,
}

function wordsOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

/** The name of the one question that is asked. */
const ASKED = 'run'

/** What a client of 2026-07-28 has brought along. @throws AskFirst */
function broughtAlong(
  { envelope, inputResponses }: ServerContext['mcpReq'],
  state: AskedState | undefined,
  question: string,
): boolean | undefined {
  // The package has checked it; its types do not say so.
  const said = envelope as Readonly<Record<string, unknown>> | undefined
  if (!canAsk(said?.[CLIENT_CAPABILITIES_META_KEY] as ClientCapabilities | undefined)) return undefined
  const answer = inputResponse(inputResponses, ASKED)
  if (state === undefined || !wasAsked(state, question) || answer.kind !== 'elicit')
    throw new AskFirst(question)
  return isYes(answer)
}

/** Asks a client of an earlier revision, while its call waits. One that comes over HTTP has nothing that it could be asked on. */
async function elicited(server: Server, question: string, signal: AbortSignal): Promise<boolean | undefined> {
  if (!canAsk(server.getClientCapabilities())) return undefined
  try {
    return isYes(await server.elicitInput(confirmForm(question), { signal, timeout: ASKED_SECONDS * 1000 }))
  } catch {
    // Anything but a clear yes counts as no.
    return undefined
  }
}

function canAsk(capabilities: ClientCapabilities | undefined): boolean {
  const elicitation = capabilities?.elicitation
  // One that names no mode has forms.
  return elicitation !== undefined && (elicitation.form !== undefined || elicitation.url === undefined)
}

function isYes({ action, content }: { readonly action: string; readonly content?: unknown }): boolean {
  return action === 'accept' && (content as Readonly<Record<string, unknown>> | undefined)?.['run'] === true
}

function confirmForm(message: string) {
  return {
    mode: 'form' as const,
    message,
    requestedSchema: {
      type: 'object' as const,
      properties: { run: { type: 'boolean' as const, title: 'Run this tool', default: false } },
      required: ['run'],
    },
  }
}

/** How long a person may take. */
const ASKED_SECONDS = 600
/** Of states that are remembered as used: each has cost its client two requests. */
const MOST_USED = 10_000

/** What the client keeps and gives back. It is signed, and can be read. */
interface AskedState {
  /** Digest of the tool's name and the arguments. */
  readonly call: string
  /** Digest of the question. */
  readonly question: string
  readonly once: string
}

interface NamedCall {
  readonly name: string
  readonly arguments: unknown
}

class AskedCalls {
  /** By what is used once: when it may be forgotten, in milliseconds. The oldest first. */
  readonly #used = new Map<string, number>()
  readonly #now: () => number

  constructor(now: () => number = Date.now) {
    this.#now = now
  }

  stateOf(call: NamedCall, question: string): AskedState {
    return { call: digestOf(call), question: digestOf(question), once: randomUUID() }
  }

  /** Uses the state up. @returns why it does not allow to go on, as a clause */
  use(state: AskedState, call: NamedCall): string | undefined {
    if (state.call !== digestOf(call)) return 'it was made for another tool or other arguments'
    const now = this.#now()
    for (const [once, until] of this.#used) {
      if (until > now) break
      this.#used.delete(once)
    }
    if (this.#used.has(state.once)) return 'it was used before'
    if (this.#used.size >= MOST_USED) return `${MOST_USED} others were used in ${ASKED_SECONDS} seconds`
    this.#used.set(state.once, now + ASKED_SECONDS * 1000)
    return undefined
  }
}

/** Whether this is what was asked: a policy that changed since then may make another question of it. */
function wasAsked(state: AskedState, question: string): boolean {
  return state.question === digestOf(question)
}

function digestOf(value: unknown): string {
  return blake3Hex(new TextEncoder().encode(serialize(value)))
}
