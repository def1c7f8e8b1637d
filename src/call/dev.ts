// An agent's folder, a session and two streams → an MCP server of its tools, unverified, which follows every change of the folder.

import type { Target } from '../io/find/find-agents.ts'
import type { Setting } from '../io/setting.ts'
import { anySignal } from '../io/wait/any-signal.ts'
import { changesIn } from '../io/watch/watch-folder.ts'
import { CASES_FOLDER } from '../model/agent.ts'
import { RlpError } from '../model/error.ts'
import { VERSION } from '../model/rlp-version.ts'
import { devRound, othersChanges, type Round, type RoundMemory } from './dev-round.ts'
import type { Streams } from './line-transport.ts'
import type { ServedBundle } from './served-bundle.ts'
import { type NamedTool, namesOf } from './served-names.ts'
import { type ServingOptions, serving } from './serving.ts'
import type { CallSession } from './session.ts'
import { UNVERIFIED_NAME, unverified } from './unverified.ts'

export interface DevJob {
  readonly target: Target
  readonly session: CallSession
  readonly serving: ServingOptions
  readonly streams: Streams
  /** Called after each round, with the paths that changed; none in the first. @param tools how many are served now */
  readonly onRound: (
    changed: readonly string[],
    round: Round,
    tools: number,
    signal: AbortSignal,
  ) => Promise<void>
  /** The folder could not be read; what was served stays. */
  readonly onUnread: (error: RlpError) => void
}

/** Until the input ends, or `io.signal` aborts. What cannot be served leaves the tools from before. */
export async function devAgent(job: DevJob, io: Setting): Promise<void> {
  const stop = new AbortController()
  const signal = anySignal(io.signal, stop.signal)
  const listeners: (() => void)[] = []
  let named: ReadonlyMap<string, NamedTool> = new Map()
  const tools = serving(() => named, job.session, job.serving)
  const served = { ...tools, onChange: (changed: () => void) => void listeners.push(changed) }
  const replace = async (bundle: ServedBundle): Promise<void> => {
    const before = JSON.stringify(await tools.list())
    named = namesOf([bundle], false)
    if (JSON.stringify(await tools.list()) !== before) for (const changed of listeners) changed()
  }
  const setting = { ...io, signal }
  const memory: RoundMemory = { manifest: undefined, findings: [] }
  const round = async (changed: readonly string[]): Promise<void> => {
    const made = await devRound(job.target, memory, setting)
    if (!(made.served instanceof RlpError)) await replace(made.served)
    await job.onRound(changed, made, (await tools.list()).length, signal)
  }
  const changes = changesIn(job.target.path, [CASES_FOLDER], signal)
  const follow = async () => {
    for await (const paths of changes) {
      try {
        const changed = await othersChanges(job.target, paths, memory, setting)
        if (changed.length > 0) await round(changed)
      } catch (error) {
        if (signal.aborted) return
        if (!(error instanceof RlpError)) throw error
        // A file that is written while it is read comes again as a change.
        if (error.code !== 'CHANGED_WHILE_READING') job.onUnread(error)
      }
    }
  }
  const end = () => stop.abort()
  try {
    // Many clients ask for the tools once, as soon as they are connected.
    await changes.next()
    await round([])
    const { serveMcp } = await import('./serve-mcp.ts')
    const info = { name: UNVERIFIED_NAME, version: VERSION, instructions: unverified(job.target.label) }
    const serve = serveMcp(served, info, { ...job.streams, signal })
    const both = [serve.finally(end), follow().finally(end)]
    await Promise.allSettled(both)
    await Promise.all(both)
  } finally {
    end()
    // Otherwise its watchers would keep the process alive.
    await changes.return(undefined)
  }
}
