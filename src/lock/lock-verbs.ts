// What the library offers of locks: adding, checking and listing, with values for results and errors for refusals.
import { type CallerOptions, type PathGiven, targetGiven } from '../io/library/caller.ts'
import { runVerb } from '../io/library/verb.ts'
import { reachWith } from '../io/wait/reach.ts'
import { type FolderGiven, homeIn } from '../verify/input.ts'
import { NotVerifiedError } from '../verify/make-report.ts'
import { addToLock, type LockAdded } from './lock-add.ts'
import { checkLocked } from './lock-check.ts'
import type { LockChecked } from './lock-checked.ts'
import { usableLock } from './lock-file.ts'
import { judgingWith, type LockOptions, placeGiven, refuseManyGiven, rootsGiven } from './lock-given.ts'
import { type LockListed, listLocked } from './lock-list.ts'
import { type LockOutdated, lookAhead } from './lock-outdated.ts'
import { type LockRemoved, removeLocked } from './lock-remove.ts'

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
