// Bundles, a session and where clients come from → an MCP server, until the input ends or it is stopped. The command and the library both run it.
import type { Report } from '../model/report.ts'
import { VERSION } from '../model/rlp-version.ts'
import type { Streams } from './mcp-messages.ts'
import type { ServerInfo } from './mcp-server.ts'
import type { HttpPlace } from './serve-http.ts'
import type { Served } from './served.ts'
import { namesOf, type ServedBundle, type ServingOptions, serving } from './served-bundles.ts'
import type { CallSession } from './session.ts'

export interface ServeJob {
  /** Opens one after the other. */
  readonly bundles: readonly (() => Promise<ServedBundle | { readonly refused: Report }>)[]
  /** Put the agent's name before each tool's. */
  readonly prefix: boolean
  /** Started once every bundle may be used, so that a refused one leaves no log. */
  readonly session: () => Promise<CallSession>
  readonly serving: ServingOptions
  /** How the server calls itself. */
  readonly name: string
  /** What the client is told of all of them. */
  readonly instructions: string | undefined
  readonly clients: Clients
  /** Told how many tools there are when the server starts to listen, and where clients find them over HTTP. */
  readonly onReady?: (tools: number, url: string | undefined) => void
}

/** One on two streams, or any at a port. */
export type Clients = { readonly streams: Streams } | { readonly http: HttpPlace }

/** @returns the report of a bundle that may not be used; then nothing was served */
export async function serveBundles(job: ServeJob): Promise<Report | undefined> {
  const served: ServedBundle[] = []
  for (const open of job.bundles) {
    const opened = await open()
    if ('refused' in opened) return opened.refused
    served.push(opened)
  }
  const session = await job.session()
  try {
    const named = namesOf(served, job.prefix)
    const tools = serving(() => named, session, job.serving)
    const { name, instructions } = job
    const info = { name, version: VERSION, instructions }
    const ready = async (url?: string) => job.onReady?.((await tools.list()).length, url)
    await serveTo(job.clients, tools, info, ready)
  } finally {
    await session.close()
  }
  return undefined
}

async function serveTo(
  clients: Clients,
  tools: Served,
  info: ServerInfo,
  ready: (url?: string) => Promise<void>,
): Promise<void> {
  const { serveMcp, mcpRequests } = await import('./mcp-server.ts')
  if ('streams' in clients) {
    await ready()
    return serveMcp(tools, info, clients.streams)
  }
  const { serveHttp } = await import('./serve-http.ts')
  await serveHttp(mcpRequests(tools, info, clients.http.trouble), clients.http, ready)
}
