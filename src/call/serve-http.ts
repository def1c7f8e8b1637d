// Requests over HTTP → messages of MCP clients, many at once, and their answers. Nothing is kept from one request to the next but what
// McpRequests keeps.
import { MESSAGE_LIMITS } from '../model/limits.ts'
import { isTable } from '../model/own.ts'
import {
  type AskedBody,
  jsonAnswer,
  type ServedAnswer,
  type ServicePlace,
  type ServiceWork,
  serveAt,
} from '../net/serve/http-service.ts'
import { RefusedMessage, strictly } from './mcp-messages.ts'
import type { McpRequests } from './mcp-server.ts'

export interface HttpPlace extends ServicePlace {
  /** Reports protocol errors, for people. */
  readonly trouble: (message: string) => void
}

/** @param onListening gets the URL that a client is told @throws RlpError as {@link serveAt} */
export async function serveHttp(
  requests: McpRequests,
  place: HttpPlace,
  onListening: (url: string) => Promise<void>,
): Promise<void> {
  const work: ServiceWork = {
    name: 'server',
    one: { name: 'message', mostBytes: MESSAGE_LIMITS.bytes },
    // Clients of earlier revisions may try GET for a stream, and DELETE to end a session. This server has neither.
    paths: new Map([[PATH, { method: 'POST', answer: asked => answerOf(requests, asked) }]]),
    refusal: ({ why }) => lineOf(errorOf(REFUSED, why)),
    onDefect: error => place.trouble(error instanceof Error ? error.message : String(error)),
    end: () => requests.end(),
  }
  await serveAt(place, work, host => onListening(`http://${host}${PATH}`))
}

const PATH = '/mcp'

async function answerOf(requests: McpRequests, { bytes, request, gone }: AskedBody): Promise<ServedAnswer> {
  const read = messageIn(bytes)
  if ('refused' in read) return jsonAnswer(400, lineOf(read.refused))
  const { status, headers, body } = await requests.answer(webRequest(request, gone()), read.message)
  return { status, headers: Object.fromEntries(headers), body: body ?? '' }
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
function webRequest({ rawHeaders, headers }: AskedBody['request'], signal: AbortSignal): Request {
  const all = new Headers()
  for (let at = 0; at < rawHeaders.length; at += 2)
    all.append(String(rawHeaders[at]), String(rawHeaders[at + 1]))
  return new Request(`http://${headers.host}${PATH}`, { method: 'POST', headers: all, signal })
}

function lineOf(message: object): string {
  return `${JSON.stringify(message)}\n`
}
