// After the steps: the operator's overrides of policy.caps on this host. They never change the bundle's own verdict, but if one is
// unusable, what remains of the policy is unknown.
import { readOverrideFile, usable } from '../caps/overrides.ts'
import type { CheckedOverride } from '../model/report.ts'
import type { TrustContext } from '../model/trust.ts'
import type { Protocol } from './protocol.ts'

/** @returns every override that was read */
export function checkOverrides({ overrides }: TrustContext, protocol: Protocol): CheckedOverride[] {
  const { reasons } = usable(overrides)
  if (reasons.length > 0) protocol.fail('ceiling', 'indeterminate', reasons)
  return overrides.map(file => {
    const { label, digest, for: key } = readOverrideFile(file)
    return { path: label, digest: digest ?? null, key }
  })
}
