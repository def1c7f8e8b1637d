// After the steps: the operator's overrides of policy.caps on this host. They change nothing about a bundle, but with one that cannot be
// used nobody knows what is left of the policy (DESIGN §3.7).
import { readReference, referenceText } from '../format/reference.ts'
import type { Agent } from '../model/agent.ts'
import type { OverrideFile } from '../model/override.ts'
import type { CheckedOverride } from '../model/report.ts'
import type { TrustContext } from '../model/trust.ts'
import { readOverrideFile, usable } from '../overrides.ts'
import type { Protocol } from './protocol.ts'

/** @returns every override that was read */
export function checkOverrides(agent: Agent, context: TrustContext, protocol: Protocol): CheckedOverride[] {
  const files = overridesFor(agent, context)
  const { reasons } = usable(files)
  if (reasons.length > 0) protocol.fail('ceiling', 'indeterminate', reasons)
  return files.map(file => {
    const { label, digest, for: key } = readOverrideFile(file)
    return { path: label, digest: digest ?? null, key }
  })
}

/** A name that is none has no overrides: such a manifest is invalid. */
export function overridesFor({ manifest }: Agent, context: TrustContext): readonly OverrideFile[] {
  if (manifest?.name === undefined) return []
  const reference = referenceText({ name: manifest.name, variant: manifest.variant })
  return readReference(reference) === undefined ? [] : context.overridesOf(reference)
}
