// The official clients of MCP: the old one, and the new one as it is and where it asks for the newest revision. One form for all of them.
import { Client as NewClient, StreamableHTTPClientTransport as NewHttp } from '@modelcontextprotocol/client'
import { Client as OldClient } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport as OldHttp } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'
import { ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js'

/** What a call answers, without what a revision adds of its own. */
export interface Answered {
  readonly content: unknown
  readonly structuredContent: unknown
  readonly isError: unknown
  readonly enforced: unknown
}

export interface McpClient {
  readonly tools: () => Promise<readonly { readonly name: string }[]>
  readonly call: (name: string, args?: Record<string, unknown>, options?: CallOptions) => Promise<Answered>
  readonly instructions: () => string | undefined
  readonly close: () => Promise<void>
}

export interface CallOptions {
  readonly signal?: AbortSignal
  readonly onprogress?: (progress: unknown) => void
  /** In milliseconds; a minute where this is left out. */
  readonly timeout?: number
}

/** Where the server is. */
export type Place = { readonly pipes: Transport } | { readonly url: string; readonly token: string }

/** @param answer of its user; without it no user can be asked */
export type Connect = (place: Place, answer?: (question: string) => object) => Promise<McpClient>

const INFO = { name: 'test', version: '1' }

function httpOf(Http: typeof OldHttp | typeof NewHttp, { url, token }: { url: string; token: string }) {
  return new Http(new URL(url), {
    requestInit: { headers: { authorization: `Bearer ${token}` } },
  }) as Transport
}

const oldClient: Connect = async (place, answer) => {
  const client = new OldClient(INFO, { capabilities: answer === undefined ? {} : { elicitation: {} } })
  if (answer !== undefined)
    client.setRequestHandler(ElicitRequestSchema, ({ params }) => answer(params.message) as never)
  await client.connect('pipes' in place ? place.pipes : httpOf(OldHttp, place))
  return formOf(client, (params, options) => client.callTool(params, undefined, options))
}

const newClient =
  (mode: 'auto' | 'legacy'): Connect =>
  async (place, answer) => {
    const client = new NewClient(INFO, {
      versionNegotiation: { mode },
      capabilities: answer === undefined ? {} : { elicitation: { form: {} } },
    })
    if (answer !== undefined)
      client.setRequestHandler('elicitation/create', ({ params }) => answer(params.message) as never)
    await client.connect(('pipes' in place ? place.pipes : httpOf(NewHttp, place)) as never)
    return formOf(client as unknown as OldClient, (params, options) => client.callTool(params, options))
  }

type Called = (
  params: { name: string; arguments: Record<string, unknown> },
  options: CallOptions,
) => Promise<Record<string, unknown>>

function formOf(client: OldClient, called: Called): McpClient {
  return {
    tools: async () => (await client.listTools()).tools,
    call: async (name, args = {}, options = {}) => {
      const { content, structuredContent, isError, _meta } = await called({ name, arguments: args }, options)
      const enforced = (_meta as Record<string, unknown> | undefined)?.['rlp/enforced']
      return { content, structuredContent, isError, enforced }
    },
    instructions: () => client.getInstructions(),
    close: () => client.close(),
  }
}

/** By what they speak. */
export const CLIENTS = {
  'the client of version 1': oldClient,
  'the client of version 2, as it is': newClient('legacy'),
  'the client of version 2, with 2026-07-28': newClient('auto'),
} as const satisfies Readonly<Record<string, Connect>>

export const NEWEST = 'the client of version 2, with 2026-07-28'
