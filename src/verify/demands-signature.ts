// A bundle without a signature, and what its trust depends on → whether that can be waived (docs/verdicts.md#codes).

import type { Agent } from '../model/agent.ts'
import type { TrustContext } from '../model/trust.ts'
import { floorsFor } from '../trust-policy/floors.ts'
import { referenceText } from '../version/reference.ts'

/** Whether a missing signature cannot be waived (docs/verdicts.md#codes). */
export function demandsSignature({ manifest }: Agent, { policies, marks }: TrustContext): boolean {
  const { name = '', variant } = manifest ?? {}
  const reference = referenceText({ name, variant })
  const isRequired = policies.some(({ policy }) => {
    return policy?.require !== undefined || (policy && floorsFor(policy, reference).length > 0)
  })
  // With unusable state the question is open, and the step "freshness" reports it.
  return isRequired || ('marks' in marks && marks.wasSigned)
}
