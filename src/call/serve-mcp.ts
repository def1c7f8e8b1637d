// Tools and one function that calls them → an MCP server on a pair of streams. It knows the protocol and nothing of bundles.
import { Server } from '@modelcontextprotocol/sdk/server/index.js'
import { deserializeMessage, serializeMessage } from '@modelcontextprotocol/sdk/shared/stdio.js'
import {
  CallToolRequestSchema,
  ErrorCode,
  ListToolsRequestSchema,
  McpError,
} from '@modelcontextprotocol/sdk/types.js'
import { type Failure, failure, type Success } from '../contract/envelope.ts'
import { serialize } from '../contract/serialize.ts'
import { MCP_NAME_LENGTH } from '../model/limits.ts'
import { LineTransport, type Streams } from './line-transport.ts'
import { PendingCalls } from './pending.ts'
import { strictly, tooLong } from './strict-message.ts'

/** One tool as `tools/list` shows it. */
export interface ServedTool {
  readonly name: string
  readonly description: string
  readonly inputSchema: { readonly type: 'object'; readonly [keyword: string]: unknown }
  readonly outputSchema?: { readonly type: 'object'; readonly [keyword: string]: unknown }
  readonly [member: string]: unknown
}

/** What a call may ask of the client. */
export interface Caller {
  /** Aborted if the client cancels the request, or disconnects. */
  readonly signal: AbortSignal
  /** Asks the client's user; undefined if the client cannot ask. */
  confirm(question: string): Promise<boolean | undefined>
  /** Tells the client that the call is still running, if it wants to know. */
  progress(message: string): void
}

export interface Answer {
  readonly envelope: Success | Failure
  /** The whole result, if it fits the tool's output schema; the envelope may be shortened. */
  readonly structured?: { readonly [name: string]: unknown }
}

export interface Served {
  /** Reads policy, revocations, overrides and clock again, and lists only what is granted now. */
  list(): Promise<readonly ServedTool[]>
  /** Undefined for an unknown tool. @param text the arguments as compact JSON */
  call(name: string, text: string, caller: Caller): Promise<Answer | undefined>
}

/** Limits for the requests of one client, and for the characters of all their arguments. */
const MOST_CALLS = 100
const MOST_CHARS = 64 * 1024 * 1024

/** Serves until the input ends or `signal` aborts. Then every running call is aborted, and this returns after the last has ended. */
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
      // The only schema that is checked here is that of the question below, whose answer is read strictly there.
      jsonSchemaValidator: {
        getValidator: () => input => ({ valid: true, data: input as never, errorMessage: undefined }),
      },
    },
  )
  server.onerror = error => streams.trouble(error.message)
  const pending = new PendingCalls(MOST_CALLS, MOST_CHARS)
  server.setRequestHandler(ListToolsRequestSchema, async (_, { signal }) => {
    const tools = await pending.take(0, signal, () => served.list())
    if (tools === undefined) throw new McpError(ErrorCode.InternalError, TOO_MANY)
    return { tools: [...tools] }
  })
  server.setRequestHandler(CallToolRequestSchema, async ({ params }, extra) => {
    const { name } = params
    const { progressToken } = params._meta ?? {}
    const text = serialize(params.arguments ?? {})
    let progress = 0
    const begin = (signal: AbortSignal) =>
      served.call(name, text, {
        signal,
        confirm: question => confirm(server, question, signal),
        progress(message) {
          if (progressToken === undefined || signal.aborted) return
          const sent = { progressToken, progress: ++progress, message }
          extra
            .sendNotification({ method: 'notifications/progress', params: sent })
            .catch(error => streams.trouble(`progress could not be sent: ${wordsOf(error)}`))
        },
      })
    const taken = pending.take(text.length, extra.signal, begin)
    const answer = taken === undefined ? { envelope: tooMany(name) } : await taken
    if (answer === undefined) {
      const shown = name.slice(0, MCP_NAME_LENGTH).toWellFormed()
      throw new McpError(ErrorCode.InvalidParams, `Tool '${shown}' is not available in this session.`)
    }
    const { envelope, structured }: Answer = answer
    return {
      content: [{ type: 'text', text: serialize(envelope) }],
      ...(structured && { structuredContent: structured }),
      ...(!envelope.ok && { isError: true }),
    }
  })
  const transport = new LineTransport(streams, {
    read: strictly(deserializeMessage),
    write: serializeMessage,
    instead: tooLong,
  })
  const closed = new Promise<void>(resolve => {
    server.onclose = resolve
  })
  const stop = () => void transport.close()
  streams.signal.addEventListener('abort', stop, { once: true })
  await server.connect(transport)
  if (streams.signal.aborted) stop()
  await closed
  streams.signal.removeEventListener('abort', stop)
  // Of two requests with one id the package forgets the first, which would then run on.
  await pending.end()
}

const TOO_MANY = `${MOST_CALLS} requests are under way, or very long ones`

function tooMany(name: string): Failure {
  const tool = name.slice(0, MCP_NAME_LENGTH).toWellFormed()
  return failure({ kind: 'unavailable', message: `Tool '${tool}' was not called: ${TOO_MANY}.`, tool })
}

function wordsOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

async function confirm(server: Server, message: string, signal: AbortSignal): Promise<boolean | undefined> {
  if (server.getClientCapabilities()?.elicitation?.form === undefined) return undefined
  const requestedSchema = {
    type: 'object' as const,
    properties: { run: { type: 'boolean' as const, title: 'Run this tool', default: false } },
    required: ['run'],
  }
  try {
    const { action, content } = await server.elicitInput(
      { mode: 'form', message, requestedSchema },
      { signal, timeout: ANSWER_MS },
    )
    return action === 'accept' && content?.['run'] === true
  } catch {
    // Anything but a clear yes counts as no.
    return undefined
  }
}

/** Time for a person to think. */
const ANSWER_MS = 10 * 60 * 1000
