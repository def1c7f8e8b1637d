// An agent's folder as it is now → its digests written, what lint has newly found, and its tools opened to be called.
import { readSourceFolder } from '../io/bundle/read-source.ts'
import type { Target } from '../io/find/find-agents.ts'
import type { Setting } from '../io/setting.ts'
import { lintTarget, toBeReported } from '../lint/lint-target.ts'
import type { LintedTarget } from '../lint/linted.ts'
import { MANIFEST_FILE } from '../model/agent.ts'
import { isObstacle, RlpError } from '../model/error.ts'
import type { Finding } from '../model/finding.ts'
import { digest } from '../pack/digest.ts'
import { writeDigests } from '../pack/digest-agent.ts'
import { openServedSource, type ServedBundle } from './served-bundle.ts'

/** What is kept from one round to the next. */
export interface RoundMemory {
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
export async function othersChanges(
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
export async function devRound(target: Target, memory: RoundMemory, io: Setting): Promise<Round> {
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
    const digested = digest(agent)
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
