// Finds newer versions of locked agents at their sources, and when the signatures of the locked bundles expire. Whether a bundle is trusted
// is not checked here. The signatures are those of the pinned bundle, whatever its tag points to now.
import { eachInLanes, farServer } from '../fleet/lanes.ts'
import { readBundle } from '../io/bundle/read-bundle.ts'
import { absolute } from '../io/layout-folder.ts'
import type { Root } from '../io/root/root-places.ts'
import type { Reach } from '../io/wait/reach.ts'
import { MANIFEST_FILE, SIGNATURE_FILE } from '../model/agent.ts'
import { isObstacle } from '../model/error.ts'
import type { LockedAgent } from '../model/lock.ts'
import { ownMembers } from '../model/own.ts'
import { placeText, readOciReference } from '../oci/reference.ts'
import { isOciReference } from '../oci/scheme.ts'
import { storedEnd } from '../registry/stored-end.ts'
import { isPrerelease, newestIn, storedVersions } from '../registry/stored-versions.ts'
import { endSignedIn, type StatedEnd } from '../signature/stated-end.ts'
import { AHEAD_DAYS, leftUntil } from '../verify/ends-soon.ts'
import { readExpectation } from '../version/reference.ts'
import { isOlder } from '../version/version.ts'
import type { UsableLock } from './lock-file.ts'
import { pinnedTarget, targetOf } from './locked-source.ts'

export const OUTDATED_ANSWERS = ['newest', 'outdated', 'cannot tell'] as const
export type OutdatedAnswer = (typeof OUTDATED_ANSWERS)[number]

export interface OutdatedAgent extends LockedEnd {
  readonly agent: string
  readonly source: string
  readonly is: OutdatedAnswer
  /** That is locked. */
  readonly version: string
  /** The newest that is stored there by its tag; null if it cannot be told. */
  readonly newest: string | null
  /** The newest there that `expect` of the lock accepts, which rlp lock update takes; null without `expect`, or if it cannot be told. */
  readonly fits: string | null
  /** Why it cannot be told; null if it can. */
  readonly detail: string | null
}

export interface LockOutdated {
  /** The lock, as the caller names it. */
  readonly lock: string
  /** Whether each agent is the newest. An end that is near changes nothing about that. */
  readonly passed: boolean
  readonly agents: readonly OutdatedAgent[]
}

/**
 * Newer by SemVer and by tags alone. A pre-release is looked at only for an agent that is locked at one.
 * @throws RlpError CANCELLED alone
 */
export async function lookAhead(call: LookingAhead): Promise<LockOutdated> {
  const { lock: source, signal } = call
  const { lock } = source
  const lanes = { server: ([, { source: at }]: readonly [string, LockedAgent]) => farServer(at), signal }
  const agents = await eachInLanes(lock.agents, lanes, async ([agent, locked], until) => {
    const { source: from, version } = ownMembers(locked)
    const looking = { ...call, signal: until }
    return {
      agent,
      source: from,
      version,
      ...(await newestOf(locked, looking)),
      ...(await endOfLocked(locked, looking)),
    }
  })
  return { lock: source.label, passed: agents.every(({ is }) => is === 'newest'), agents }
}

type Newest = Pick<OutdatedAgent, 'is' | 'newest' | 'fits' | 'detail'>

async function newestOf(locked: LockedAgent, looking: LookingAhead): Promise<Newest> {
  const { source, version, expect } = ownMembers(locked)
  const untold = (detail: string): Newest => ({ is: 'cannot tell', newest: null, fits: null, detail })
  const range = expect === undefined ? undefined : readExpectation(expect)?.versions
  const read = readOciReference(absolute(source, looking.lock.folder))
  if ('problem' in read) return untold('Its source is a file or an installed agent')
  try {
    const { versions } = await storedVersions(placeText(read.value.place), looking)
    const newest = versions.find(one => isPrerelease(version) || !isPrerelease(one.version))?.version
    const isNewer = newest !== undefined && isOlder(version, newest)
    return {
      is: isNewer ? 'outdated' : 'newest',
      newest: isNewer ? newest : version,
      fits: (range && newestIn(versions, range)?.version) ?? null,
      detail: null,
    }
  } catch (error) {
    if (!isObstacle(error)) throw error
    return untold(error.message)
  }
}

export interface LockedEnd {
  /** When the signatures of the locked bundle end, a UTC second; null if they do not, or if it cannot be told. */
  readonly ends: string | null
  /** Whether that is within 30 days, or past. */
  readonly endsSoon: boolean
  /** Why it cannot be told when they end; null if it can. */
  readonly untold: string | null
}

interface LookingAhead extends Reach {
  readonly lock: UsableLock
  /** Where installed agents are that the lock calls by name. */
  readonly roots: readonly Root[]
  readonly now: Date
}

const NO_KEY = 'No signature by a key is in the bundle that is locked'

/** @throws RlpError CANCELLED alone */
async function endOfLocked(locked: LockedAgent, call: LookingAhead): Promise<LockedEnd> {
  const untold = (why: string): LockedEnd => ({ ends: null, endsSoon: false, untold: why })
  try {
    const found = await endAt(locked, call)
    if (found === undefined) return untold(NO_KEY)
    const { notAfter: ends = null } = found
    const isPast = ends !== null && Date.parse(ends) < call.now.getTime()
    const endsSoon = ends !== null && (isPast || leftUntil(ends, call.now, AHEAD_DAYS) !== undefined)
    return { ends, endsSoon, untold: null }
  } catch (error) {
    if (!isObstacle(error)) throw error
    return untold(error.message)
  }
}

async function endAt(
  { source, oci, identity }: LockedAgent,
  looking: LookingAhead,
): Promise<StatedEnd | undefined> {
  const { lock, roots, signal } = looking
  const { path, label } = pinnedTarget(await targetOf(source, lock.folder, roots), oci)
  if (isOciReference(path)) return storedEnd(path, looking, { label, identity })
  const { files, refusal } = await readBundle(path, { keep: 'parsed', label, signal })
  if (refusal?.error !== undefined) throw refusal.error
  const [manifest, envelope] = [MANIFEST_FILE, SIGNATURE_FILE].map(name => files.get(name)?.bytes)
  return manifest && envelope && endSignedIn(manifest, envelope, identity)
}
