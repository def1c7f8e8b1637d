// policy.caps → Policy, for a document that the schema has accepted.
import { own } from '../model/own.ts'
import type { Policy } from '../model/policy.ts'
import { isFamily, policyOf } from './families/index.ts'

/** @param value the root of a policy that `checkShape('policy', …)` accepts */
export function readPolicy(value: unknown): Policy {
  const caps = (value as { capabilities: Record<string, unknown> }).capabilities
  const unknown = unknownFamilies(caps)
  return {
    ...policyOf(({ family, table }) => table.read(own(caps, family))),
    ...(unknown.length > 0 && { unknown }),
  }
}

/** The keys of a `[capabilities]` table that name no family of this build. */
export function unknownFamilies(capabilities: object): string[] {
  return Object.keys(capabilities).filter(key => !isFamily(key))
}
