// What the library offers of installed bundles: what is there, and removing one.
import { join } from 'node:path'
import { type CallerOptions, homeGiven, type PathGiven, pathGiven } from '../io/library/caller.ts'
import { runVerb } from '../io/library/verb.ts'
import { rootFor, rootsFor } from '../io/root/roots.ts'
import { type TrustOptions, trustInput } from '../verify/trust-given.ts'
import { type InstalledAgents, listInstalled } from './installed.ts'
import { agentNamed, type Uninstalled, uninstall } from './uninstall.ts'

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
    const { trustPolicy, allowDev, attestations, now } = given
    const trust = trustInput({
      trustPolicy,
      allowDev,
      attestations,
      home,
      now,
      env: io.env,
      cwd: io.cwd,
    })
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
