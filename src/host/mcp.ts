// Tools and one function that calls them → an MCP server on a pair of streams. It knows the protocol and nothing of bundles.
import { Server } from '@modelcontextprotocol/sdk/server/index.js'
import { ReadBuffer, serializeMessage } from '@modelcontextprotocol/sdk/shared/stdio.js'
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'
import {
  CallToolRequestSchema,
  ErrorCode,
  type JSONRPCMessage,
  ListToolsRequestSchema,
  McpError,
} from '@modelcontextprotocol/sdk/types.js'
import type { Failure, Success } from '../contract/envelope.ts'
import { serialize } from '../contract/serialize.ts'

/** One tool as `tools/list` shows it. */
export interface ServedTool {
  readonly name: string
  readonly description: string
  readonly inputSchema: { readonly type: 'object'; readonly [keyword: string]: unknown }
  readonly outputSchema?: { readonly type: 'object'; readonly [keyword: string]: unknown }
  readonly [member: string]: unknown
}

/** What a call may ask of the client while it runs. */
export interface Caller {
  /** Aborted when the client cancels the request, or goes away. */
  readonly signal: AbortSignal
  /** Asks the client's user; undefined where the client has no way to ask. */
  confirm(question: string): Promise<boolean | undefined>
  /** Tells the client that the call is going on, where it wants to know. */
  progress(message: string): void
}

export interface Answer {
  readonly envelope: Success | Failure
  /** The result in full, where it fits the tool's output schema; the envelope's may be shortened. */
  readonly structured?: { readonly [name: string]: unknown }
}

export interface Served {
  /** Reads policy, revocations, overrides and clock anew: what is not granted at this moment is not there. */
  list(): Promise<readonly ServedTool[]>
  /** Undefined for a tool that is not there. @param text the arguments as compact JSON */
  call(name: string, text: string, caller: Caller): Promise<Answer | undefined>
}

/** The two directions, in bytes. */
export interface Streams {
  readonly input: AsyncIterable<Uint8Array>
  readonly output: (text: string) => void
  /** Ends the server. */
  readonly signal: AbortSignal
  /** What goes wrong with the protocol, for people. */
  readonly trouble: (message: string) => void
}

/** Bytes of one message; a longer one ends the connection. */
const MAX_MESSAGE_BYTES = 32 * 1024 * 1024

/** Serves until the input ends or `signal` aborts; then every call that still runs is aborted. */
export async function serveMcp(
  served: Served,
  info: { readonly name: string; readonly version: string; readonly instructions?: string },
  streams: Streams,
): Promise<void> {
  const { name, version, instructions } = info
  const server = new Server(
    { name, version },
    {
      capabilities: { tools: {} },
      ...(instructions !== undefined && { instructions }),
      // The one schema that is ever asked about is that of the question below, and its answer is read strictly there.
      jsonSchemaValidator: {
        getValidator: () => input => ({ valid: true, data: input as never, errorMessage: undefined }),
      },
    },
  )
  server.onerror = error => streams.trouble(error.message)
  server.setRequestHandler(ListToolsRequestSchema, async () => ({ tools: [...(await served.list())] }))
  server.setRequestHandler(CallToolRequestSchema, async ({ params }, { signal, sendNotification }) => {
    const progressToken = params._meta?.progressToken
    let progress = 0
    const answer = await served.call(params.name, serialize(params.arguments ?? {}), {
      signal,
      confirm: question => confirm(server, question, signal),
      progress(message) {
        if (progressToken === undefined || signal.aborted) return
        const sent = { progressToken, progress: ++progress, message }
        sendNotification({ method: 'notifications/progress', params: sent }).catch(error =>
          streams.trouble(`progress could not be sent: ${error instanceof Error ? error.message : error}`),
        )
      },
    })
    if (answer === undefined) {
      throw new McpError(ErrorCode.InvalidParams, `Tool '${params.name}' is not available in this session.`)
    }
    const { envelope, structured } = answer
    return {
      content: [{ type: 'text', text: serialize(envelope) }],
      ...(structured && { structuredContent: structured }),
      ...(!envelope.ok && { isError: true }),
    }
  })
  const transport = new StreamTransport(streams)
  const closed = new Promise<void>(resolve => {
    server.onclose = resolve
  })
  const stop = () => void transport.close()
  streams.signal.addEventListener('abort', stop, { once: true })
  await server.connect(transport)
  if (streams.signal.aborted) stop()
  await closed
  streams.signal.removeEventListener('abort', stop)
}

async function confirm(server: Server, message: string, signal: AbortSignal): Promise<boolean | undefined> {
  if (server.getClientCapabilities()?.elicitation?.form === undefined) return undefined
  const requestedSchema = {
    type: 'object' as const,
    properties: { run: { type: 'boolean' as const, title: 'Run this tool', default: false } },
    required: ['run'],
  }
  const { action, content } = await server.elicitInput(
    { mode: 'form', message, requestedSchema },
    { signal, timeout: ANSWER_MS },
  )
  return action === 'accept' && content?.['run'] === true
}

/** How long a person may think. */
const ANSWER_MS = 10 * 60 * 1000

/** Lines of JSON on two streams. The end of the input is the end of the connection, which the protocol's own transport does not see. */
class StreamTransport implements Transport {
  onclose?: () => void
  onerror?: (error: Error) => void
  onmessage?: (message: JSONRPCMessage) => void
  readonly #streams: Streams
  readonly #buffer = new ReadBuffer({ maxBufferSize: MAX_MESSAGE_BYTES })
  #isClosed = false

  constructor(streams: Streams) {
    this.#streams = streams
  }

  async start(): Promise<void> {
    void this.#receive()
  }

  async #receive(): Promise<void> {
    try {
      for await (const chunk of this.#streams.input) {
        if (this.#isClosed) return
        this.#buffer.append(Buffer.from(chunk))
        this.#deliver()
      }
    } catch (error) {
      this.onerror?.(error as Error)
    }
    await this.close()
  }

  #deliver(): void {
    while (true) {
      let message: JSONRPCMessage | null
      try {
        message = this.#buffer.readMessage()
      } catch (error) {
        // A line that is no message of the protocol: the next one may be.
        this.onerror?.(error as Error)
        continue
      }
      if (message === null) return
      this.onmessage?.(message)
    }
  }

  async send(message: JSONRPCMessage): Promise<void> {
    if (!this.#isClosed) this.#streams.output(serializeMessage(message))
  }

  async close(): Promise<void> {
    if (this.#isClosed) return
    this.#isClosed = true
    this.#buffer.clear()
    this.onclose?.()
  }
}
