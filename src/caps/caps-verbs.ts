// What the library offers of permissions: what an agent may do on this host, and whether its policy.caps and overrides are sound.
import {
  type CallerOptions,
  homeGiven,
  type PathGiven,
  pathGiven,
  targetGiven,
} from '../io/library/caller.ts'
import { runVerb } from '../io/library/verb.ts'
import type { Setting } from '../io/setting.ts'
import { type Tally, tally } from '../lint/tally.ts'
import { type CapsFindings, lintCaps } from './lint-caps.ts'
import { type CapsReport, capsReport, sandboxHere } from './report.ts'
import { showCaps } from './shown.ts'

export interface CapsOptions extends CallerOptions {
  /** The folder with the user's overrides, in place of `$RUNLOOP_HOME` or `~/.runloop`; the system's always apply. */
  readonly home?: PathGiven
}

export interface CapsShowOptions extends CapsOptions {
  /** Also say what the program of each tool may reach on this host. */
  readonly sandbox?: boolean
}

export interface CapsLintResult {
  readonly targets: readonly CapsFindings[]
  readonly counts: Tally
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

/**
 * Checks the policy.caps of an agent's folder, or of each in a folder of agents, and every override of it on this host; or one override file.
 *
 * @example
 * const { counts, targets } = await capsLint('/etc/runloop/policy-overrides/mailer.caps')
 * console.log(counts.errors, targets[0]?.findings)
 *
 * @throws {@link RlpError} `NOT_FOUND`, `NO_PERMISSION`, `WRONG_FILE_TYPE`, `LIMIT_EXCEEDED`, `CANCELLED`
 */
export async function capsLintPath(path: PathGiven, options: CapsOptions = {}): Promise<CapsLintResult> {
  return runVerb('capsLint', options, async (given, io) => {
    const at = pathGiven(path, io, 'check')
    const checked = await lintCaps([at], at, inHome(given, io))
    const findings = checked.flatMap(one => one.parts.flatMap(part => part.findings))
    return { targets: checked.map(({ told }) => told), counts: tally(findings) }
  })
}

/** Overrides are looked for there. */
function inHome(options: CapsOptions, io: Setting): Setting {
  return { ...io, env: { ...io.env, RUNLOOP_HOME: homeGiven(options, io) } }
}
