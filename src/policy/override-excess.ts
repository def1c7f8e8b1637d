// An override + the policy it tightens → entries of the override that have no effect. An override never grants, so its author should
// know.
import type { PolicyOverride } from '../model/override.ts'
import type { Family, Policy } from '../model/policy.ts'
import { CAPABILITY_FAMILIES } from './families/index.ts'

/** An entry of an override without effect. */
export interface Excess {
  /** Its place in the override. */
  readonly key: Family
  /** One sentence without a full stop. */
  readonly message: string
}

export function excessOf(policy: Policy, { leaves }: PolicyOverride): Excess[] {
  const inVain = (isSwitch: boolean) =>
    CAPABILITY_FAMILIES.filter(({ scope }) => (scope === 'none') === isSwitch).flatMap(
      ({ family, override }) => override.inVain(policy, leaves).map(message => ({ key: family, message })),
    )
  return [...inVain(false), ...inVain(true)]
}
