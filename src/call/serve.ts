// Bundles, a session and two streams → an MCP server, until the input ends. The command and the library both run it.
import type { Target } from '../io/find/find-agents.ts'
import type { Report } from '../model/report.ts'
import { VERSION } from '../model/rlp-version.ts'
import type { ExamineOptions } from '../verify/examine.ts'
import type { Streams } from './line-transport.ts'
import { openServed, type ServedBundle } from './served-bundle.ts'
import { type ServingOptions, serving } from './serving.ts'
import type { CallSession } from './session.ts'

export interface ServeJob {
  readonly bundles: readonly { readonly target: Target; readonly examine: ExamineOptions }[]
  /** Started once every bundle may be used, so that a refused one leaves no log. */
  readonly session: () => Promise<CallSession>
  readonly serving: ServingOptions
  /** How the server calls itself. */
  readonly name: string
  readonly streams: Streams
  /** Told how many tools there are when the server starts to listen. */
  readonly onReady?: (tools: number) => void
}

/** @returns the report of a bundle that may not be used; then nothing was served */
export async function serveBundles(job: ServeJob): Promise<Report | undefined> {
  const served: ServedBundle[] = []
  for (const { target, examine } of job.bundles) {
    const opened = await openServed(target, examine)
    if ('refused' in opened) return opened.refused
    served.push(opened)
  }
  const session = await job.session()
  try {
    const tools = serving(served, session, job.serving)
    const { serveMcp } = await import('./serve-mcp.ts')
    job.onReady?.((await tools.list()).length)
    await serveMcp(tools, { name: job.name, version: VERSION }, job.streams)
  } finally {
    await session.close()
  }
  return undefined
}
