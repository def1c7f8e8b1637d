// The functions of the library that install, list and uninstall bundles.
import { join } from 'node:path'
import {
  type CallerOptions,
  homeGiven,
  type LongOptions,
  type PathGiven,
  pathGiven,
} from '../io/library/caller.ts'
import { runVerb } from '../io/library/verb.ts'
import { rootFor, rootsFor } from '../io/root/roots.ts'
import { RlpError } from '../model/error.ts'
import type { InstallFlags, InstallRefusal, Offer } from '../model/install.ts'
import { eachOf, type OneOrMore } from '../model/one-or-more.ts'
import type { Report } from '../model/report.ts'
import { type BundleGiven, bundleTarget, judgedWith } from '../verify/bundle-input.ts'
import { judgingInput, type TrustOptions, trustInput } from '../verify/input.ts'
import { NotVerifiedError } from '../verify/make-report.ts'
import { install } from './install.ts'
import { type InstalledAgents, listInstalled } from './installed.ts'
import { type InstallResult, installResult } from './outcome.ts'
import { agentNamed, type Uninstalled, uninstall } from './uninstall.ts'

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

export interface UninstallOptions extends CallerOptions {
  /** Where agents are installed; the folder `agents` of `home` where this is left out. */
  readonly root?: PathGiven
  /** Where it is remembered what is installed; `$RUNLOOP_HOME` or `~/.runloop`. */
  readonly home?: PathGiven
}

export interface ListInstalledOptions extends CallerOptions, Omit<TrustOptions, 'home' | 'state'> {
  /** Look there only, in place of the folder `agents` of `home` and the system's. */
  readonly root?: PathGiven
  /** The user's policy, marks, overrides and installed agents; `$RUNLOOP_HOME` or `~/.runloop`. */
  readonly home?: PathGiven
}

/**
 * Installed bundles, each with its verdict under today's policies. A broken one never hides the others.
 *
 * @example
 * const { agents } = await listInstalled()
 * for (const { agent, version, verdict } of agents) console.log(agent, version, verdict)
 *
 * @throws {@link RlpError} `NO_PERMISSION` for a root that others lead the way to, `CANCELLED`
 */
export async function listInstalledPath(options: ListInstalledOptions = {}): Promise<InstalledAgents> {
  return runVerb('listInstalled', options, async (given, io) => {
    const home = homeGiven(given, io)
    const root = given.root === undefined ? undefined : pathGiven(given.root, io, 'use root')
    const trust = trustInput({ ...given, home, env: io.env, cwd: io.cwd })
    return listInstalled(await rootsFor(root, io.cwd, home), { ...trust, root, signal: io.signal }, home)
  })
}

/**
 * Removes an installed bundle and the folder that was unpacked from it. Which version was trusted here stays known: an older one is refused
 * as before. Nothing is asked.
 *
 * @param agent `name` or `name@variant`
 *
 * @example
 * const { bundle } = await uninstall('mailer', { root: '/srv/agents' })
 * console.log(bundle)
 *
 * @throws {@link RlpError} `NOT_FOUND` if it is not there, `USAGE`, `NO_PERMISSION`, `CANCELLED`
 */
export async function uninstallPath(agent: string, options: UninstallOptions = {}): Promise<Uninstalled> {
  return runVerb('uninstall', options, async (given, io) => {
    const home = homeGiven(given, io)
    const place = given.root === undefined ? join(home, 'agents') : pathGiven(given.root, io, 'use root')
    return uninstall(agentNamed(agent), {
      root: await rootFor(place, io.cwd),
      home,
      signal: io.signal,
    })
  })
}
