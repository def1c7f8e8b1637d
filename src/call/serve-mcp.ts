// Tools and one function that calls them → an MCP server of the revision 2026-07-28 and of those before, on a pair of streams or for requests
// over HTTP. It knows the protocol and nothing of bundles.
import { LineTransport, type Streams } from './line-transport.ts'
import { createMcpHandler, deserializeMessage, serializeMessage, serveStdio } from './mcp-library.ts'
import { McpServers, type ServerInfo } from './mcp-servers.ts'
import type { Served } from './served.ts'
import { sendable, strictly, tooLong } from './strict-message.ts'
import { Unanswered } from './unanswered.ts'

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
