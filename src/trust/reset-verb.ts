// What the library offers of a wrong high-water mark.
import { type CallerOptions, homeGiven, type PathGiven, pathGiven } from '../io/library/caller.ts'
import { runVerb } from '../io/library/verb.ts'
import { resetMarks, type TrustReset } from './reset-marks.ts'

export interface TrustResetOptions extends CallerOptions {
  /** The oldest version that is accepted from now on; any where this is left out. */
  readonly to?: string
  /** Why, for the record. */
  readonly reason?: string
  /** Where it is remembered what was installed; `$RUNLOOP_HOME` or `~/.runloop` where this is left out. */
  readonly home?: PathGiven
  /**
   * The root whose installed agent is forgotten too, if it is newer than what is remembered; the folder `agents` of `home`, and the system's,
   * if left out.
   */
  readonly root?: PathGiven
  /** Write nothing: fail where it would fail. */
  readonly dryRun?: boolean
}

/**
 * Lowers how new an agent was here, and records that it was lowered: the recovery from a wrong high-water mark.
 *
 * @param agent `name` or `name@variant`
 *
 * @example
 * const { forgotten } = await trustReset('mailer', { to: '0.9.0', reason: '9.0.0 was a typing error' })
 * console.log(forgotten.map(({ version }) => version))
 *
 * @throws {@link RlpError} `NOT_FOUND` for an agent without a mark, `USAGE`, `NO_PERMISSION`, `CANCELLED`
 */
export async function trustResetPath(agent: string, options: TrustResetOptions = {}): Promise<TrustReset> {
  return runVerb('trustReset', options, async (given, io) => {
    const { to, reason, dryRun = false } = given
    const root = given.root === undefined ? undefined : pathGiven(given.root, io, 'use root')
    const resetting = { home: homeGiven(given, io), root, dryRun, signal: io.signal }
    return resetMarks(agent, { to, reason }, resetting)
  })
}
