// Tools → a server of the protocol's library for each connection or request, and what outlives it: calls that are under way, and what was asked.
import { randomBytes } from 'node:crypto'
import { ASKED_SECONDS, AskedCalls, type AskedState, type NamedCall } from './asked-calls.ts'
import { ASKED, broughtAlong, confirmForm, elicited } from './mcp-confirm.ts'
import {
  createRequestStateCodec,
  inputRequired,
  ProtocolError,
  ProtocolErrorCode,
  Server,
  type ServerContext,
} from './mcp-library.ts'
import { METHODS, type MethodName } from './methods/index.ts'
import { type Method, type MethodAnswer, MethodRefused } from './methods/method.ts'
import { PendingCalls } from './pending.ts'
import { AskFirst, type Served } from './served.ts'

export interface ServerInfo {
  readonly name: string
  readonly version: string
  readonly instructions: string | undefined
}

/** `modern` is 2026-07-28; `legacy` is what begins with `initialize`. */
type Era = 'legacy' | 'modern'

type Last = (answer: MethodAnswer) => MethodAnswer

/** What outlives the server of one request, or of one connection. */
export class McpServers {
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
