// Reads the options of the library's functions that edit a policy.
import { type CallerOptions, homeGiven, type PathGiven, pathGiven } from '../io/library/caller.ts'
import { accessWith, type Setting } from '../io/setting.ts'
import { changePolicy } from './edit-policy.ts'
import { carryOutJob, type EditJob, type PolicyEdited } from './edited-policy.ts'
import type { TrustChange } from './edits/index.ts'

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

/** Makes a change that depends on nothing but the policy, and answers as the library does. */
export function changedPolicy(
  options: PolicyEditOptions,
  io: Setting,
  change: TrustChange,
): Promise<PolicyEdited> {
  return edited(options, io, editing => changePolicy(change, editing))
}
