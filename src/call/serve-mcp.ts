// Tools and one function that calls them → an MCP server on a pair of streams. It knows the protocol and nothing of bundles.
import { Server } from '@modelcontextprotocol/sdk/server/index.js'
import { deserializeMessage, serializeMessage } from '@modelcontextprotocol/sdk/shared/stdio.js'
import {
  CallToolRequestSchema,
  ErrorCode,
  ListToolsRequestSchema,
  McpError,
} from '@modelcontextprotocol/sdk/types.js'
import { LineTransport, type Streams } from './line-transport.ts'
import { METHODS, type MethodName } from './methods/index.ts'
import { MethodRefused } from './methods/method.ts'
import { PendingCalls } from './pending.ts'
import type { Served } from './served.ts'
import { strictly, tooLong } from './strict-message.ts'

/** Serves until the input ends or `signal` aborts. Then every running call is aborted, and this returns after the last has ended. */
export async function serveMcp(
  served: Served,
  info: { readonly name: string; readonly version: string; readonly instructions: string | undefined },
  streams: Streams,
): Promise<void> {
  const { name, version, instructions } = info
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
    },
  )
  server.onerror = error => streams.trouble(error.message)
  // Before that, a client takes no notification.
  server.oninitialized = () =>
    served.onChange?.(
      () =>
        void server
          .sendToolListChanged()
          .catch(error => streams.trouble(`a change of the tools could not be told: ${wordsOf(error)}`)),
    )
  const serving = { served, pending: new PendingCalls() }
  for (const method of METHODS) {
    server.setRequestHandler(REQUESTS[method.name], async ({ params = {} }, extra) => {
      try {
        return await method.answer(
          {
            params,
            signal: extra.signal,
            confirm: (question, signal) => confirm(server, question, signal),
            notify: (method, params) =>
              void extra
                .sendNotification({ method, params })
                .catch(error => streams.trouble(`progress could not be sent: ${wordsOf(error)}`)),
          },
          serving,
        )
      } catch (error) {
        throw error instanceof MethodRefused ? new McpError(REFUSALS[error.is], error.message) : error
      }
    })
  }
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
  await serving.pending.end()
}

/** What the package checks a request with. */
const REQUESTS = {
  'tools/list': ListToolsRequestSchema,
  'tools/call': CallToolRequestSchema,
} as const satisfies Readonly<Record<MethodName, unknown>>

const REFUSALS: Readonly<Record<MethodRefused['is'], ErrorCode>> = {
  invalid_params: ErrorCode.InvalidParams,
  internal_error: ErrorCode.InternalError,
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
