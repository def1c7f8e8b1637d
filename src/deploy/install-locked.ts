// A lock → all that it names, installed: what is there as it is locked is judged again where it is, and the rest is fetched, each with its verdict.
// What cannot be installed hides no other.
import { eachInLanes, farServer } from '../fleet/far-lanes.ts'
import { bundleIdentity } from '../format/version/reference.ts'
import type { InstallCall, InstallOutcome } from '../install/install-call.ts'
import { install } from '../install/install-file.ts'
import type { Target } from '../io/find/search-folders.ts'
import { entryAt } from '../io/read/entry.ts'
import { bundlePath, type Root } from '../io/root/root-places.ts'
import { isObstacle, type RlpError } from '../model/error.ts'
import type { LockedAgent } from '../model/lock.ts'
import { examine } from '../verify/examine.ts'
import type { UsableLock } from './lock-file.ts'
import { pinnedTarget, targetOf } from './lock-source.ts'

/** So many are read and fetched at a time. */
const AT_ONCE = 8

export interface LockedCall extends Omit<InstallCall, 'source'> {
  readonly lock: UsableLock
  /** Where agents are that the lock calls by name. */
  readonly roots: readonly Root[]
  /** Whether a person is asked: then one comes after the other. */
  readonly asks: boolean
}

/** One agent of the lock, and what became of it. */
export interface LockedOutcome {
  readonly agent: string
  readonly locked: LockedAgent
  /** Undefined where it could not be carried out; then `error` says why. */
  readonly outcome?: InstallOutcome
  readonly error?: RlpError
}

/** In the order of the lock. @throws RlpError CANCELLED */
export async function installLocked(call: LockedCall): Promise<readonly LockedOutcome[]> {
  const { lock: source, asks, signal } = call
  const agents = [...source.lock.agents].map(([agent, locked]) => ({ agent, locked }))
  const server = ({ locked }: (typeof agents)[number]) => (asks ? undefined : farServer(locked.source))
  return eachInLanes(agents, { server, signal, atOnce: AT_ONCE }, async ({ agent, locked }, until) => {
    try {
      return { agent, locked, outcome: await installOne(agent, locked, call, until) }
    } catch (error) {
      if (!isObstacle(error)) throw error
      return { agent, locked, error }
    }
  })
}

async function installOne(
  agent: string,
  locked: LockedAgent,
  call: LockedCall,
  signal: AbortSignal,
): Promise<InstallOutcome> {
  const { lock: source, roots } = call
  const from = (place: Target) => {
    const options = { ...call.options, lock: source, expect: agent, label: place.label, signal }
    return install({ ...call, source: place, options, signal })
  }
  const target = pinnedTarget(await targetOf(locked.source, source.folder, roots), locked.oci)
  const there = await installedTarget(agent, locked, call, signal)
  if (there === undefined) return from(target)
  const outcome = await from(there)
  if (outcome.is !== 'not-verified' || outcome.report.verdict !== 'untrusted') return outcome
  // What it lacks here may have been added where it comes from. If that cannot be told, the verdict on what is here counts.
  const again = await from(target).catch(error => {
    if (isObstacle(error)) return outcome
    throw error
  })
  return again.is === 'not-verified' && again.report.verdict === 'indeterminate' ? outcome : again
}

/** The installed file, if it holds the very bundle that is locked: then nothing has to be fetched. */
async function installedTarget(
  agent: string,
  { identity }: LockedAgent,
  { root, options }: LockedCall,
  signal: AbortSignal,
): Promise<Target | undefined> {
  const path = bundlePath(root, agent)
  if (entryAt(path) === undefined) return undefined
  const label = `${root.label}/${agent}.agent.bundle`
  const { verification } = await examine(
    path,
    { ...options, lock: undefined, expect: bundleIdentity(identity), label, look: true, signal },
    'parsed',
  )
  const { report } = verification
  return report.manifestDigest === identity && report.verdict !== 'invalid' ? { path, label } : undefined
}
