// Reads the options of the library's functions that edit a policy.
import { type CallerOptions, homeGiven, type PathGiven, pathGiven } from '../io/library/caller.ts'
import { accessWith, type Setting } from '../io/setting.ts'
import { carryOutJob, type EditJob, type PolicyEdited } from './edited-policy.ts'

/** What every verb takes that edits a trust policy. */
export interface PolicyEditOptions extends CallerOptions {
  /** The policy to edit; trust-policy.toml in `home` where this is left out. */
  readonly policy?: PathGiven
  /** In place of `$RUNLOOP_HOME` or `~/.runloop`: the user's policy, keys apart, and the agents that a dry run looks at. */
  readonly home?: PathGiven
  /** Write nothing: the answer has what would change, and its effect on everything installed. */
  readonly dryRun?: boolean
}

/** Carries out a job, and answers as the library does. */
export async function edited(options: PolicyEditOptions, io: Setting, job: EditJob): Promise<PolicyEdited> {
  const home = homeGiven(options, io)
  const editing = {
    home,
    policy: options.policy === undefined ? undefined : pathGiven(options.policy, io, 'edit the policy'),
    dryRun: options.dryRun === true,
    io: { ...io, registries: accessWith(io.env, home) },
  }
  return (await carryOutJob(editing, job)).answer
}
