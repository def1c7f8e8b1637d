// What the library offers of permissions: what an agent may do on this host.
import { type CallerOptions, homeGiven, type PathGiven, targetGiven } from '../io/library/caller.ts'
import { runVerb } from '../io/library/verb.ts'
import type { Setting } from '../io/setting.ts'
import { type CapsReport, capsReport, sandboxHere } from './report.ts'
import { showCaps } from './shown.ts'

export interface CapsShowOptions extends CallerOptions {
  /** The folder with the user's overrides, instead of `$RUNLOOP_HOME` or `~/.runloop`. The system's overrides always apply. */
  readonly home?: PathGiven
  /** Also say what the program of each tool may reach on this host. */
  readonly sandbox?: boolean
}

/**
 * What an agent's folder may do on this host: what policy.caps grants, what overrides leave of it, and which tools may be used.
 *
 * @example
 * const { effective, tools } = await capsShow('agents/mailer')
 * console.log(effective, tools?.filter(({ granted }) => !granted))
 *
 * @throws {@link RlpError} `LINT_FAILED` if policy.caps or the agent's name cannot be read, `NOT_FOUND`, `CANCELLED`
 */
export async function capsShowPath(agent: PathGiven, options: CapsShowOptions = {}): Promise<CapsReport> {
  return runVerb('capsShow', options, async (given, io) => {
    const setting = inHome(given, io)
    const sandbox = given.sandbox === true ? await sandboxHere(setting) : undefined
    return capsReport(await showCaps(targetGiven(agent, io, 'show what may be done by'), setting), sandbox)
  })
}

/** Overrides are looked for there. */
function inHome(options: CapsShowOptions, io: Setting): Setting {
  return { ...io, env: { ...io.env, RUNLOOP_HOME: homeGiven(options, io) } }
}
