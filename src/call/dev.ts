// Serves the tools of an agent's folder, unverified, to an MCP client while its author works in it. After each change it writes the
// digests, reports new findings and opens the tools again.

import type { Target } from '../io/find/find-agents.ts'
import { readSourceFolder } from '../io/read/read-tree.ts'
import type { Setting } from '../io/setting.ts'
import { anySignal } from '../io/wait/any-signal.ts'
import { changesIn } from '../io/watch-folder.ts'
import { lintTarget, toBeReported } from '../lint/lint-target.ts'
import type { LintedTarget } from '../lint/linted.ts'
import { CASES_FOLDER, MANIFEST_FILE } from '../model/agent.ts'
import { isObstacle, RlpError } from '../model/error.ts'
import type { Finding } from '../model/finding.ts'
import { VERSION } from '../model/rlp-version.ts'
import { digestManifest } from '../pack/digest.ts'
import { writeDigests } from '../pack/digest-agent.ts'
import type { Streams } from './mcp-messages.ts'
import { UNVERIFIED_NAME, unverified } from './served.ts'
import {
  type NamedTool,
  namesOf,
  openServedSource,
  type ServedBundle,
  type ServingOptions,
  serving,
} from './served-bundles.ts'
import type { CallSession } from './session.ts'

interface DevJob {
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
    const { serveMcp } = await import('./mcp-server.ts')
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

/** What is kept from one round to the next. */
interface RoundMemory {
  /** Bytes of the manifest as the last round wrote it; undefined if it wrote none. */
  manifest: Uint8Array | undefined
  findings: readonly Finding[]
}

export interface Round {
  /** How many digests were written; undefined if the manifest could not take them, which lint says why. */
  readonly digests: number | undefined
  /** With only the findings that the last round had not. */
  readonly linted: LintedTarget
  /** How many of the last round's findings are gone. */
  readonly gone: number
  /** The agent to serve, or why it cannot be. */
  readonly served: ServedBundle | RlpError
}

/** Without the manifest, if it is still what the last round has written. */
async function othersChanges(
  target: Target,
  changed: readonly string[],
  { manifest }: RoundMemory,
  io: Setting,
): Promise<readonly string[]> {
  if (manifest === undefined || !changed.includes(MANIFEST_FILE)) return changed
  const { files } = await readSourceFolder(target, 'held', { signal: io.signal })
  const now = files.get(MANIFEST_FILE)?.bytes
  const isOwn = now !== undefined && Buffer.compare(now, manifest) === 0
  return isOwn ? changed.filter(path => path !== MANIFEST_FILE) : changed
}

/** @throws RlpError if the folder cannot be read, or changes while it is */
async function devRound(target: Target, memory: RoundMemory, io: Setting): Promise<Round> {
  const digests = await writeNow(target, memory, io)
  const linted = await lintTarget(target, { now: new Date(), settings: [], fixes: 'none' }, io)
  const known = memory.findings.map(keyOf)
  const fresh = linted.findings.filter(finding => {
    const at = known.indexOf(keyOf(finding))
    if (at !== -1) known.splice(at, 1)
    return at === -1
  })
  memory.findings = linted.findings
  return {
    digests,
    linted: toBeReported({ ...linted, findings: fresh.sort(staleLast) }),
    gone: known.length,
    served: await openServedSource(target, io).catch(orRefused),
  }
}

async function writeNow(target: Target, memory: RoundMemory, io: Setting): Promise<number | undefined> {
  const agent = await readSourceFolder(target, 'all', io)
  try {
    const digested = digestManifest(agent)
    memory.manifest = undefined
    if (digested.changes.length > 0) {
      await writeDigests(target, agent, digested, io)
      memory.manifest = Buffer.from(digested.text)
    }
    return digested.changes.length
  } catch (error) {
    if (error instanceof RlpError && ['LINT_FAILED', 'NOT_EDITABLE'].includes(error.code)) return undefined
    throw error
  }
}

function orRefused(error: unknown): RlpError {
  if (isObstacle(error)) return error
  throw error
}

/** The same finding in another line is not new. */
function keyOf({ rule, file, message }: Finding): string {
  return JSON.stringify([rule, file, message])
}

/** A digest is stale because of something, and that is said first. */
function staleLast(one: Finding, other: Finding): number {
  const isStale = ({ rule }: Finding) => Number(rule === 'manifest/digest-stale')
  return isStale(one) - isStale(other)
}
