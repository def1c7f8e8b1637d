// Installs everything that locks name. An installed bundle is judged again where it is. Its source is read again whenever the installed file may not
// be what the lock pins, or is not trusted any more: it may have new signatures there. An agent that cannot be installed hides no other.
import { eachInLanes, farServer } from '../fleet/lanes.ts'
import { installBundle } from '../install/install.ts'
import type { InstallCall, InstallOutcome } from '../install/outcome.ts'
import { diskStateOf } from '../install/read-installed.ts'
import { installIn } from '../install/record.ts'
import type { Target } from '../io/find/search-folders.ts'
import { entryAt } from '../io/read/entry.ts'
import { bundlePath, type Root } from '../io/root/root-places.ts'
import { readState } from '../io/state/state.ts'
import { isObstacle, RlpError } from '../model/error.ts'
import type { InstallRefusal } from '../model/install.ts'
import type { LockedAgent } from '../model/lock.ts'
import { bundleIdentity } from '../version/reference.ts'
import { type AgentInLocks, agentsInLocks } from './agents-in-locks.ts'
import type { UsableLock } from './lock-file.ts'
import { pinnedTarget, targetOf } from './locked-source.ts'

/** So many are read and fetched at a time. */
const AT_ONCE = 8

export interface LockedCall extends Omit<InstallCall, 'source' | 'by'> {
  /** Locks that can be used together. */
  readonly locks: readonly UsableLock[]
  /** Where agents are that the locks call by name. */
  readonly roots: readonly Root[]
  /** Whether a person is asked: then one comes after the other. */
  readonly asks: boolean
}

/** One agent of the locks, and what became of it. */
export type LockedOutcome = { readonly agent: string; readonly locked: LockedAgent } & (
  | Become
  /** It could not be carried out. */
  | { readonly error: RlpError }
)

/** In the order of the locks; an agent that several name is installed once. @throws RlpError CANCELLED */
export async function installLocked(call: LockedCall): Promise<readonly LockedOutcome[]> {
  const { locks, asks, judging } = call
  const agents = agentsInLocks(locks)
  const server = ({ locked }: (typeof agents)[number]) => (asks ? undefined : farServer(locked.source))
  return eachInLanes(agents, { server, signal: judging.signal, atOnce: AT_ONCE }, async (one, until) => {
    const { agent, locked } = one
    try {
      return { agent, locked, ...(await installOne(one, call, until)) }
    } catch (error) {
      if (!isObstacle(error)) throw error
      return { agent, locked, error }
    }
  })
}

/** How the install of one agent ended. */
export interface Become {
  readonly outcome: InstallOutcome
  /** Why what is installed stays, though the lock pins other signatures of the same bundle: those would expire earlier, or one would be missing. */
  readonly kept?: InstallRefusal
}

async function installOne(
  { agent, locked, source, lockName }: AgentInLocks,
  call: LockedCall,
  signal: AbortSignal,
): Promise<Become> {
  const { locks, roots, root } = call
  const from = (place: Target, how: Partial<InstallCall> = {}) => {
    const judging = { ...call.judging, locks, expect: agent, label: place.label, signal }
    return installBundle({ ...call, ...how, source: place, by: { name: lockName }, judging })
  }
  const target = pinnedTarget(await targetOf(locked.source, source.folder, roots), locked.oci)
  const there = installedTarget(agent, root)
  if (there === undefined) return { outcome: await from(target) }
  const here = await from(there, { dryRun: true, onDecided: undefined })
  const isCurrent = async () => (await readFrom(agent, here, locked, call)) === locked.oci
  const isTrusted = here.is === 'decided' && here.report.verdict === 'trusted'
  // Without a stored digest the lock cannot tell whether other signatures are at its source by now.
  if (isTrusted && locked.oci !== undefined && (await isCurrent())) return { outcome: await from(there) }
  const holds = isTrusted ? here.offer : undefined
  const read = await from(target, { holds }).catch((error: unknown) => {
    if (isObstacle(error)) return error
    throw error
  })
  const isUnread =
    read instanceof RlpError || (read.is === 'not-verified' && read.report.verdict === 'indeterminate')
  if (isUnread && (await isCurrent())) return { outcome: await from(there) }
  if (read instanceof RlpError) throw read
  const kept = weakerIn(read)
  return kept === undefined ? { outcome: read } : { outcome: await from(there), kept }
}

function installedTarget(agent: string, root: Root): Target | undefined {
  const path = bundlePath(root, agent)
  return entryAt(path) === undefined ? undefined : { path, label: `${root.label}/${agent}.agent.bundle` }
}

/**
 * The stored digest that the installed file was read from, by the record of its installation; undefined if that is from a source without one.
 * @returns null if another bundle is installed than the lock pins, or if no record is about this file
 */
async function readFrom(
  agent: string,
  here: InstallOutcome,
  { identity, oci }: LockedAgent,
  { root, home }: LockedCall,
): Promise<string | undefined | null> {
  const { verdict } = here.report
  if (here.report.identity !== bundleIdentity(identity) || verdict === 'invalid') return null
  // A lock that pins no stored digest pins the identity alone.
  if (oci === undefined) return undefined
  try {
    const state = await readState(agent, home)
    const { file } = await diskStateOf(root, state, false)
    if (file.is !== 'bundle') return null
    return installIn(state, root.path, file.fileDigest)?.oci ?? null
  } catch (error) {
    if (isObstacle(error)) return null
    throw error
  }
}

/** Why the installed signatures are better. */
function weakerIn(outcome: InstallOutcome): InstallRefusal | undefined {
  if (outcome.is !== 'decided' || outcome.decision.is !== 'refused') return undefined
  const [first] = outcome.decision.refusals
  return first.reason === 'weaker_signatures' ? first : undefined
}
