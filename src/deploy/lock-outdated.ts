// A lock → of each agent the newest version that is stored where it comes from. No bundle is read, and nothing is judged.

import { eachInLanes, farServer } from '../fleet/far-lanes.ts'
import { placeText, readOciReference } from '../format/oci/reference.ts'
import { readExpectation } from '../format/version/reference.ts'
import { isOlder } from '../format/version/version.ts'
import { absolute } from '../io/layout-folder.ts'
import type { RegistryAccess } from '../model/carried.ts'
import { isObstacle } from '../model/error.ts'
import type { LockedAgent } from '../model/lock.ts'
import { ownMembers } from '../model/own.ts'
import { isPrerelease, newestIn } from '../registry/newest-stored.ts'
import { storedVersions } from '../registry/stored-versions.ts'
import type { UsableLock } from './lock-file.ts'

export const OUTDATED_ANSWERS = ['newest', 'outdated', 'cannot tell'] as const
export type OutdatedAnswer = (typeof OUTDATED_ANSWERS)[number]

export interface OutdatedAgent {
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

/**
 * By SemVer and by tags alone. A pre-release is looked at only for an agent that is locked at one.
 * @throws RlpError CANCELLED alone
 */
export async function lookForNewer(
  { lock, folder }: UsableLock,
  access: RegistryAccess,
  signal: AbortSignal,
): Promise<readonly OutdatedAgent[]> {
  const lanes = { server: ([, { source }]: readonly [string, LockedAgent]) => farServer(source), signal }
  return eachInLanes(lock.agents, lanes, async ([agent, locked], until) => {
    const { source, version, expect } = ownMembers(locked)
    const about = { agent, source, version, fits: null }
    const range = expect === undefined ? undefined : readExpectation(expect)?.versions
    const read = readOciReference(absolute(source, folder))
    if ('problem' in read)
      return {
        ...about,
        is: 'cannot tell',
        newest: null,
        detail: 'Its source is a file or an installed agent',
      }
    try {
      const { versions } = await storedVersions(placeText(read.value.place), access, until)
      const newest = versions.find(one => isPrerelease(version) || !isPrerelease(one.version))?.version
      const isNewer = newest !== undefined && isOlder(version, newest)
      return {
        ...about,
        is: isNewer ? 'outdated' : 'newest',
        newest: isNewer ? newest : version,
        fits: (range && newestIn(versions, range)?.version) ?? null,
        detail: null,
      }
    } catch (error) {
      if (!isObstacle(error)) throw error
      return { ...about, is: 'cannot tell', newest: null, detail: error.message }
    }
  })
}
