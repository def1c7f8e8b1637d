// The function of the library that installs a bundle.
import { join } from 'node:path'
import { homeGiven, type LongOptions, type PathGiven, pathGiven } from '../io/library/caller.ts'
import { runVerb } from '../io/library/verb.ts'
import { rootFor } from '../io/root/roots.ts'
import { RlpError } from '../model/error.ts'
import type { InstallFlags, InstallRefusal, Offer } from '../model/install.ts'
import { eachOf, type OneOrMore } from '../model/one-or-more.ts'
import type { Report } from '../model/report.ts'
import { type BundleGiven, bundleTarget } from '../verify/bundle-input.ts'
import { judgedWith } from '../verify/bundle-inputs.ts'
import { judgingInput, type TrustOptions } from '../verify/input.ts'
import { NotVerifiedError } from '../verify/make-report.ts'
import { install } from './install.ts'
import { type InstallResult, installResult } from './outcome.ts'

export interface InstallOptions
  extends LongOptions,
    Partial<Omit<InstallFlags, 'lockConsents'>>,
    Omit<TrustOptions, 'home' | 'state'> {
  /** Where agents are installed; the folder `agents` of `home` where this is left out. */
  readonly root?: PathGiven
  /** Where it is remembered what is installed, beside the user's policy and overrides; `$RUNLOOP_HOME` or `~/.runloop`. */
  readonly home?: PathGiven
  /**
   * Locks that the bundle has to be as pinned in (docs/lock.md). They are the consent to what they pin: `mayBegin` is not asked then, and no
   * `allowCapsChange` is needed.
   */
  readonly lock?: OneOrMore<PathGiven>
  /** Which agent it has to be; a file called `<name>-<version>.agent.bundle` implies it. */
  readonly expect?: string
  readonly allowUnsigned?: boolean
  /** Judge and compare, ask nothing, and install nothing: the result is what would be installed. */
  readonly dryRun?: boolean
  /**
   * Whether an agent that this user never had may be installed: it is shown what the agent may do. Without it a first install is refused.
   */
  readonly mayBegin?: (offer: Offer) => boolean | Promise<boolean>
}

/** A sound bundle that may not take the place of what is there, and why. */
export class InstallRefusedError extends RlpError {
  override readonly name = 'InstallRefusedError'
  readonly refusals: readonly InstallRefusal[]
  readonly report: Report

  constructor(agent: string, refusals: readonly [InstallRefusal, ...InstallRefusal[]], report: Report) {
    super('NOT_VERIFIED', `Cannot install ${agent}: ${refusals[0].message}`, { hint: refusals[0].hint })
    this.refusals = refusals
    this.report = report
  }
}

/**
 * Verifies a bundle and puts it in the place of its last version, by one rename.
 *
 * @example
 * const { version } = await install('dist/mailer-0.1.0.agent.bundle', {
 *   root: '/srv/agents',
 *   mayBegin: ({ permissions }) => permissions.tools.length === 0,
 * })
 *
 * @throws {@link NotVerifiedError} when its verdict is against it
 * @throws {@link InstallRefusedError} when it is older, has another signer, or may do more than what is there
 * @throws {@link RlpError} `NEEDS_ANSWER` for a first install to which `mayBegin` does not say yes, `NOT_FOUND`, `EXISTS`, `NO_PERMISSION`,
 * `NO_SPACE`, `CANCELLED`
 */
export async function installPath(bundle: BundleGiven, options: InstallOptions = {}): Promise<InstallResult> {
  return runVerb('install', options, async (given, io) => {
    const came = bundleTarget(bundle, io, 'install')
    const { target: source } = came
    const { label } = source
    const locks = eachOf(given.lock, 'lock').map(one => pathGiven(one, io, 'use lock'))
    const { expect, allowUnsigned = false, allowDowngrade = false, mayBegin } = given
    const home = homeGiven(given, io)
    const named = given.root === undefined ? undefined : pathGiven(given.root, io, 'use root')
    const root = await rootFor(named ?? join(home, 'agents'), io.cwd)
    const outcome = await install({
      source,
      root,
      home,
      dryRun: given.dryRun,
      flags: {
        force: given.force === true,
        unpack: given.unpack !== false,
        allowDowngrade,
        allowSignerChange: given.allowSignerChange === true,
        allowCapsChange: given.allowCapsChange === true,
        lockConsents: locks.length > 0,
      },
      judging: judgedWith(
        {
          ...judgingInput({ ...given, home, env: io.env, cwd: io.cwd }, io),
          root: named,
          locks,
          expect: expect ?? source.reference,
          allowUnsigned,
          allowDowngrade,
          label,
        },
        came,
      ),
      mayBegin: async offer => (await mayBegin?.(offer)) === true,
    })
    if (outcome.is === 'not-verified') throw outcome.unread ?? new NotVerifiedError(outcome.report)
    const { offer, report } = outcome
    const { agent } = offer
    if (outcome.is === 'not-begun')
      throw new RlpError(
        'NEEDS_ANSWER',
        `Cannot install ${agent} for the first time: mayBegin has not agreed to it`,
        { hint: 'Look at what it may do, and answer true in mayBegin' },
      )
    const { decision } = outcome
    if (decision.is === 'refused') throw new InstallRefusedError(agent, decision.refusals, report)
    return installResult({ ...outcome, decision }, root)
  })
}
