// The functions of the library about locks: add, check, remove, outdated, list and update. They return values, and throw for refusals.
import { type CallerOptions, type PathGiven, targetGiven } from '../io/library/caller.ts'
import { runVerb } from '../io/library/verb.ts'
import type { Setting } from '../io/setting.ts'
import { reachWith } from '../io/wait/reach.ts'
import { RlpError } from '../model/error.ts'
import { type FolderGiven, homeIn } from '../verify/input.ts'
import { NotVerifiedError } from '../verify/make-report.ts'
import { addToLock, type LockAdded } from './add.ts'
import { checkLocked, type LockChecked } from './check.ts'
import type { LockConcern } from './compare-entries.ts'
import { judgingWith, type LockOptions, placeGiven, refuseManyGiven, rootsGiven } from './library-input.ts'
import { type LockRemoved, removeLocked, usableLock } from './lock-file.ts'
import { type LockListed, listLocked } from './locked-entry.ts'
import { type LockOutdated, lookAhead } from './outdated.ts'
import { type LockUpdate, type LockUpdated, updateLock } from './update.ts'

export interface LockRemoveOptions extends CallerOptions, Pick<LockOptions, 'lock'> {
  /** Write nothing: fail where it would fail. */
  readonly dryRun?: boolean
}

export interface LockOutdatedOptions extends CallerOptions, Pick<LockOptions, 'lock'> {
  /** The folder whose config.toml may name mirrors, in place of `$RUNLOOP_HOME` or `~/.runloop`; `false` for none. */
  readonly home?: FolderGiven | false
}

export interface LockAddOptions extends LockOptions {
  /** Which agent the one bundle has to be; of a repository without a tag the newest version is taken that this accepts. */
  readonly expect?: string
  /** Verify and compare, and write nothing. */
  readonly dryRun?: boolean
  /** What the lock is called from now on; left out, it keeps the name that it has. */
  readonly name?: string
}

/**
 * Verifies bundles, and pins what they are and may do: all of them, or none. With `name` and no bundle it names the lock.
 *
 * @example
 * const { agents } = await lockAdd(['dist/mailer-0.1.0.agent.bundle'], { lock: 'deploy/rlp.lock' })
 * console.log(agents[0]?.identity, agents[0]?.caps)
 *
 * @throws {@link NotVerifiedError} for a bundle that is not `trusted`
 * @throws {@link RlpError} `EXISTS` for an agent that is locked with other content, `LOCK_UNUSABLE` for a lock that cannot be relied upon,
 * `NO_PERMISSION`, `NO_SPACE`, `CANCELLED`
 */
export async function lockAddPaths(
  bundles: readonly PathGiven[],
  options: LockAddOptions = {},
): Promise<LockAdded> {
  return runVerb('lockAdd', options, async (given, io) => {
    const targets = bundles.map(bundle => targetGiven(bundle, io, 'lock'))
    const { expect } = given
    if (targets.length > 0) refuseManyGiven('expect', expect, targets.length)
    const outcome = await addToLock(targets, {
      judging: { ...judgingWith(given, io), expect },
      lock: placeGiven(given, io),
      dryRun: given.dryRun,
      name: given.name,
    })
    if (outcome.is === 'added') return outcome.added
    const [report] = outcome.reports
    if (report === undefined) throw new TypeError('a bundle was refused')
    throw new NotVerifiedError(report, 'lock')
  })
}

/**
 * Of each agent in a lock: whether it is still the same. Nothing is written.
 *
 * @example
 * const { agents } = await lockCheck({ lock: 'deploy/rlp.lock' })
 * for (const { agent, is, details } of agents) if (is !== 'same') console.error(agent, is, details[0])
 *
 * @throws {@link RlpError} `NOT_FOUND` if there is no lock, `LOCK_UNUSABLE` for one that cannot be relied upon, `CANCELLED`
 */
export async function lockCheckPath(options: LockOptions = {}): Promise<LockChecked> {
  return runVerb('lockCheck', options, async (given, io) => {
    const lock = await usableLock(placeGiven(given, io))
    return checkLocked({ lock, roots: await rootsGiven(given, io), judging: judgingWith(given, io) })
  })
}

/**
 * Takes agents out of a lock: all of them, or none.
 *
 * @example
 * await lockRemove(['mailer'], { lock: 'deploy/rlp.lock' })
 *
 * @throws {@link RlpError} `NOT_FOUND` for a missing lock or an agent that it has not, `LOCK_UNUSABLE`, `NO_PERMISSION`, `NO_SPACE`, `CANCELLED`
 */
export async function lockRemovePath(
  agents: readonly string[],
  options: LockRemoveOptions = {},
): Promise<LockRemoved> {
  return runVerb('lockRemove', options, async (given, io) => {
    return removeLocked(agents, placeGiven(given, io), { signal: io.signal, dryRun: given.dryRun === true })
  })
}

/**
 * Of each agent in a lock: whether a newer version is stored where it comes from, by its tag, and when the signatures of the locked bundle end.
 * Nothing is judged.
 *
 * @example
 * const { agents } = await lockOutdated()
 * for (const { agent, version, newest, is } of agents) if (is === 'outdated') console.log(agent, version, newest)
 *
 * @throws {@link RlpError} as {@link lockCheckPath}
 */
export async function lockOutdatedPath(options: LockOutdatedOptions = {}): Promise<LockOutdated> {
  return runVerb('lockOutdated', options, async (given, io) => {
    const lock = await usableLock(placeGiven(given, io))
    const roots = await rootsGiven(given, io)
    return lookAhead({ ...reachWith(io, homeIn(given, io.cwd)), lock, roots, now: new Date() })
  })
}

/**
 * What a lock pins. No bundle is read.
 *
 * @example
 * const { agents } = await lockList()
 * for (const { agent, version, caps } of agents) console.log(agent, version, caps)
 *
 * @throws {@link RlpError} as {@link lockCheckPath}
 */
export async function lockListPath(options: LockOptions = {}): Promise<LockListed> {
  return runVerb('lockList', options, (given, io) => listLocked(placeGiven(given, io)))
}

export interface LockUpdateOptions extends LockOptions {
  /** Agents of the lock, each from its own source. All of them where this and `bundles` are left out. */
  readonly agents?: readonly string[]
  /** Bundles that take the place of agents in the lock. */
  readonly bundles?: readonly PathGiven[]
  /** Which agent the one bundle has to be; of a repository without a tag the newest version is taken that this accepts. */
  readonly expect?: string
  /** Take what may do more. */
  readonly allowCapsChange?: boolean
  /** Take what lacks a signer that the lock lists. */
  readonly allowSignerChange?: boolean
  /** Take what is older. */
  readonly allowDowngrade?: boolean
  /** Look and compare, and write nothing. */
  readonly dryRun?: boolean
}

/** Sound and trusted bundles that may not take the place of what is locked, and why. Nothing was written. */
export class LockRefusedError extends RlpError {
  override readonly name = 'LockRefusedError'
  readonly concerns: readonly LockConcern[]
  readonly updates: readonly LockUpdate[]

  constructor(concerns: readonly LockConcern[], updates: readonly LockUpdate[]) {
    const [first] = concerns
    super('NOT_VERIFIED', `Cannot update the lock: ${first?.message ?? ''}`, {
      ...(first !== undefined && { hint: first.hint }),
    })
    this.concerns = concerns
    this.updates = updates
  }
}

/**
 * Takes what is there now into a lock, unless it may do more than what is locked.
 *
 * @example
 * const { updates } = await lockUpdate({ bundles: ['dist/mailer-0.2.0.agent.bundle'] })
 * for (const { after, tools } of updates) console.log(after.agent, after.version, tools)
 *
 * @throws {@link LockRefusedError} for what may do more, lacks a signer, is older, or has other content under the same version
 * @throws {@link NotVerifiedError} for a bundle that is not `trusted`
 * @throws {@link RlpError} `NOT_FOUND` for an agent that the lock has not, `LOCK_UNUSABLE`, `NO_PERMISSION`, `NO_SPACE`, `CANCELLED`
 */
export async function lockUpdatePath(options: LockUpdateOptions = {}): Promise<LockUpdated> {
  return runVerb('lockUpdate', options, lockUpdateJob)
}

async function lockUpdateJob(options: LockUpdateOptions, io: Setting): Promise<LockUpdated> {
  const { agents = [], bundles = [], allowCapsChange, allowSignerChange, allowDowngrade } = options
  refuseManyGiven('expect', options.expect, bundles.length + agents.length)
  const outcome = await updateLock({
    expect: options.expect,
    lock: placeGiven(options, io),
    agents,
    roots: await rootsGiven(options, io),
    bundles: bundles.map(bundle => targetGiven(bundle, io, 'lock')),
    flags: {
      allowCapsChange: allowCapsChange === true,
      allowSignerChange: allowSignerChange === true,
      allowDowngrade: allowDowngrade === true,
    },
    dryRun: options.dryRun === true,
    judging: judgingWith(options, io),
  })
  if (outcome.is === 'not-trusted') {
    const [report] = outcome.reports
    if (report === undefined) throw new TypeError('a bundle was refused')
    throw new NotVerifiedError(report, 'lock')
  }
  if (outcome.is === 'refused') throw new LockRefusedError(outcome.concerns, outcome.updates)
  return outcome.updated
}
