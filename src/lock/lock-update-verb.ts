// What the library offers of updating a lock.
import { type PathGiven, targetGiven } from '../io/library/caller.ts'
import { runVerb } from '../io/library/verb.ts'
import type { Setting } from '../io/setting.ts'
import { RlpError } from '../model/error.ts'
import { NotVerifiedError } from '../verify/make-report.ts'
import type { LockConcern } from './lock-compare.ts'
import { judgingWith, type LockOptions, placeGiven, refuseManyGiven, rootsGiven } from './lock-given.ts'
import type { LockUpdate } from './lock-look.ts'
import { type LockUpdated, updateLock } from './lock-update.ts'

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
