// Looks ahead for each agent of a lock: whether a newer version is stored where it comes from, and when the signatures of the locked bundle
// end. Nothing is judged.

import { eachInLanes, farServer } from '../fleet/far-lanes.ts'
import { absolute } from '../io/layout-folder.ts'
import { isObstacle } from '../model/error.ts'
import type { LockedAgent } from '../model/lock.ts'
import { ownMembers } from '../model/own.ts'
import { placeText, readOciReference } from '../oci/reference.ts'
import { isPrerelease, newestIn, storedVersions } from '../registry/stored-versions.ts'
import { readExpectation } from '../version/reference.ts'
import { isOlder } from '../version/version.ts'
import { endOfLocked, type LockedEnd, type LookingAhead } from './locked-end.ts'

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
