// The inputs that the verbs share which edit a trust policy.
import { type Asked, type InputTable, type World, whether } from '../verb/index.ts'
import { audit, recorder } from '../verb/kinds/audit.ts'
import { home, path } from '../verb/kinds/paths.ts'
import { accessBy } from '../verb/kinds/registry.ts'
import { carryOutJob, changePolicy, type EditJob } from './edit-policy.ts'
import type { TrustChange } from './edits/index.ts'

/** @interface PolicyEditOptions */
export const EDITING = {
  /** The policy to edit; trust-policy.toml in `home` where this is left out. */
  policy: path('which policy to edit, in place of ~/.runloop/trust-policy.toml', {
    flag: 'trust-policy',
    doing: 'edit the policy',
  }),
  /** In place of `$RUNLOOP_HOME` or `~/.runloop`: the user's policy, keys apart, and the agents that a dry run looks at. */
  home,
  /** Write nothing: the answer has what would change, and its effect on everything installed. */
  dryRun: whether('write nothing; show the change, and what it would do to everything installed'),
  audit,
} as const satisfies InputTable

/** Carries out an edit of the policy that the caller names. */
export function editNamedPolicy(
  { policy, home, dryRun, audit }: Asked<typeof EDITING>,
  world: World,
  job: EditJob,
) {
  const io = { ...world, registries: accessBy(world, home) }
  return carryOutJob({ io, home, policy, dryRun, record: recorder(audit) }, job, world.tell)
}

/** Makes a change that depends on nothing but the policy. */
export function makeChange(change: TrustChange, asked: Asked<typeof EDITING>, world: World) {
  return editNamedPolicy(asked, world, editing => changePolicy(change, editing))
}
