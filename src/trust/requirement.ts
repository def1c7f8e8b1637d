// What a trust policy requires of an agent, and who has signed and attested → a line for each thing that is required. Pure.

import { ownMembers } from '../model/own.ts'
import type { RequiredLine, SignerFact } from '../model/report.ts'
import type { TrustPolicy } from '../model/trust.ts'
import { requiredLines, requirementsFor } from '../trust-policy/requirements/index.ts'
import { believedIn } from './believed.ts'
import type { TrustFacts } from './facts.ts'
import { type AsIf, countedIn } from './signer.ts'

export function required(
  policy: TrustPolicy,
  signers: readonly SignerFact[],
  facts: TrustFacts,
  asIf: AsIf = {},
): RequiredLine[] {
  const { evidence, agent, notAfter, now } = facts
  const placed = requirementsFor(policy.require, agent)
  const { label, problem } = ownMembers<Partial<NonNullable<typeof evidence.attestations>>>(
    evidence.attestations ?? {},
  )
  return requiredLines(placed, {
    policy,
    signers,
    notAfter,
    now,
    counted: countedIn(policy, signers),
    // Looking into an envelope checks signatures.
    statements: placed.every(({ entry }) => entry.attestations === undefined)
      ? []
      : believedIn(policy, evidence, { ...facts, ...asIf }),
    unread: problem && `${label}: ${problem.message}`,
  })
}
