// Bundles, a session and two streams → an MCP server, until the input ends. The command and the library both run it.
import type { Report } from '../model/report.ts'
import { VERSION } from '../model/rlp-version.ts'
import type { Streams } from './line-transport.ts'
import type { ServedBundle } from './served-bundle.ts'
import { namesOf } from './served-names.ts'
import { type ServingOptions, serving } from './serving.ts'
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
  readonly streams: Streams
  /** Told how many tools there are when the server starts to listen. */
  readonly onReady?: (tools: number) => void
}

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
    const { serveMcp } = await import('./serve-mcp.ts')
    job.onReady?.((await tools.list()).length)
    const { name, instructions, streams } = job
    await serveMcp(tools, { name, version: VERSION, instructions }, streams)
  } finally {
    await session.close()
  }
  return undefined
}
