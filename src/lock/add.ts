// Adds bundles to a lock. Only trusted bundles are added. An agent that is locked with other content is refused here, because lock update
// compares the two first.
import { dirname } from 'node:path'
import { isAgentName, meantName } from '../agent/agent-name.ts'
import { eachInLanes, farServer } from '../fleet/lanes.ts'
import type { Target } from '../io/find/search-folders.ts'
import { realPath } from '../io/read/real-path.ts'
import { LOCK_NAME_FORM } from '../lock-file/read.ts'
import { isSameEntry } from '../lock-file/write.ts'
import { RlpError, UsageError } from '../model/error.ts'
import { LOCK_FILE, type Lock, type LockedAgent } from '../model/lock.ts'
import type { Report } from '../model/report.ts'
import { VERDICTS } from '../model/verdict.ts'
import { quoted } from '../text/printable.ts'
import { writePath } from '../text/shell-words.ts'
import { examine, type JobJudging } from '../verify/examine.ts'
import { NotVerifiedError } from '../verify/make-report.ts'
import { isSameSource } from './compare-entries.ts'
import { changeLock, type LockPlace, tidyLock, wouldChangeLock } from './lock-file.ts'
import { type LockEntry, lockEntry, type PinnedAgent, pinnedAgent } from './locked-entry.ts'
import { sourceOf } from './locked-source.ts'

interface LockCall {
  readonly lock: LockPlace
  readonly judging: JobJudging
  /** Verify and compare, and write nothing. */
  readonly dryRun?: boolean | undefined
  /** What the lock is called from now on; left out, it keeps the name that it has. */
  readonly name?: string | undefined
}

/** Bundles that are not trusted. Nothing was written. As a {@link NotVerifiedError} it is about the worst of them. */
export class NotLockedError extends NotVerifiedError {
  readonly #reports: readonly Report[]

  constructor(reports: readonly Report[]) {
    const words = Object.keys(VERDICTS)
    const [worst] = [...reports].sort((a, b) => words.indexOf(a.verdict) - words.indexOf(b.verdict))
    if (worst === undefined) throw new TypeError('a bundle was refused')
    super(worst, 'lock')
    this.#reports = reports
  }

  /** Of each bundle that is not trusted. */
  get reports(): readonly Report[] {
    return this.#reports
  }
}

export interface LockAdded {
  /** The lock, as the caller names it. */
  readonly lock: string
  /** The new name of the lock. Left out if the call gives it none. */
  readonly name?: string | undefined
  /** False if the lock said all of it before. */
  readonly changed: boolean
  readonly agents: readonly PinnedAgent[]
}

/**
 * Adds agents to a lock, names it, or both.
 * @throws NotLockedError
 * @throws RlpError USAGE for what is no name, or if there is neither a bundle nor a name; EXISTS for an agent that is locked with another identity, or
 * from another source, and for a lock with another name; as `changeLock`
 */
export async function addToLock(
  targets: readonly Target[],
  { lock: place, judging, dryRun = false, name }: LockCall,
): Promise<LockAdded> {
  refuseUnnamed(targets, name)
  const { signal } = judging
  const folder = dirname(await realPath(place.path, place.label))
  const lanes = { server: ({ path }: Target) => farServer(path), signal }
  const found = await eachInLanes(targets, lanes, async (target, until) => {
    const { path, label, reference } = target
    const one = { ...judging, label, expect: judging.expect ?? reference, signal: until }
    const examined = await examine(path, one, 'parsed')
    const entry = lockEntry(examined, sourceOf(target, folder, judging.expect))
    if (entry === undefined) return { report: examined.verification.report }
    return { entry: { ...entry, path: reference === undefined ? label : path } }
  })
  const reports = found.flatMap(({ report }) => report ?? [])
  if (reports.length > 0) throw new NotLockedError(reports)
  const entries = found.flatMap(({ entry }) => entry ?? [])
  refuseSameAgent(entries)
  const change = (lock: Lock) => named(withEntries(lock, entries, place.label), name, place.label)
  const changed = await (dryRun ? wouldChangeLock(place, change) : changeLock(place, change, signal))
  if (!changed && !dryRun) await tidyLock(place, signal)
  return { lock: place.label, name, changed, agents: entries.map(pinnedAgent) }
}

interface Added extends LockEntry {
  /** What a command calls the bundle. */
  readonly path: string
}

function withEntries(lock: Lock, entries: readonly Added[], label: string): Lock {
  const agents = new Map(lock.agents)
  for (const one of entries) {
    const old = lock.agents.get(one.agent)
    // The same bundle from another place is a change as well: where a deployment fetches from.
    if (old !== undefined && !isThere(old, one.entry)) throw locked(one, old, label)
    agents.set(one.agent, one.entry)
  }
  return { ...lock, agents }
}

function refuseUnnamed(targets: readonly Target[], name: string | undefined): void {
  if (name !== undefined && !isAgentName(name)) {
    const meant = meantName(name)
    throw new UsageError(`Cannot call a lock ${quoted(name)}: ${LOCK_NAME_FORM}`, {
      field: 'name',
      hint: meant === undefined ? 'Write for example mail_house' : `Write ${meant}`,
    })
  }
  if (targets.length === 0 && name === undefined)
    throw new UsageError('Cannot add to a lock: no bundle is named', {
      field: 'bundle',
      hint: 'Name a bundle; or give the lock a name with --name',
    })
}

/** Hosts know by its name what a lock has installed, so that another name would leave all of that behind. */
function named(lock: Lock, name: string | undefined, label: string): Lock {
  if (name === undefined || lock.name === name) return lock
  if (lock.name === undefined) return { ...lock, name }
  throw new RlpError('EXISTS', `Cannot call ${label} ${name}: it is called ${lock.name}`, {
    hint: `Name another file with --lock; hosts know what ${lock.name} has installed by its name`,
  })
}

function isThere(old: LockedAgent, entry: LockedAgent): boolean {
  return isSameEntry(old, entry) && isSameSource(old, entry)
}

/** Two bundles of one agent: which of them is meant cannot be told. */
export function refuseSameAgent(entries: readonly LockEntry[]): void {
  const seen = new Map<string, string>()
  for (const { agent, entry } of entries) {
    const other = seen.get(agent)
    if (other !== undefined && other !== entry.identity)
      throw new RlpError(
        'USAGE',
        `Cannot lock ${agent}: two of the bundles are this agent, with different content`,
        { hint: 'Name the one that is meant' },
      )
    seen.set(agent, entry.identity)
  }
}

function locked({ agent, path }: Added, { version, source }: LockedAgent, label: string): RlpError {
  const update = `rlp lock update ${writePath(path)}${label === LOCK_FILE ? '' : ` --lock ${writePath(label)}`}`
  return new RlpError(
    'EXISTS',
    `Cannot add ${agent} to ${label}: it is locked already, with ${version} from ${source}`,
    { hint: `${update} shows what would change, and takes it in` },
  )
}
