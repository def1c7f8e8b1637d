// The table [require] of a trust policy, and who has signed and attested → a line for each thing that is required. Pure.
import { requiredLines } from '../format/trust/requirements/index.ts'
import type { RequiredLine, SignerFact } from '../model/judged.ts'
import type { TrustPolicy } from '../model/trust.ts'
import { believedIn, type Evidence } from './believed.ts'

interface Required {
  readonly evidence: Evidence
  readonly allowDev: boolean
}

export function required(
  policy: TrustPolicy,
  counted: readonly string[],
  signers: readonly SignerFact[],
  { evidence, allowDev }: Required,
  orRevoked: boolean,
): RequiredLine[] {
  const { label, problem } = evidence.attestations ?? {}
  return requiredLines(policy.require, {
    signers,
    counted,
    // Looking into an envelope checks signatures.
    statements:
      policy.require?.attestations === undefined ? [] : believedIn(policy, evidence, { allowDev, orRevoked }),
    unread: problem && `${label}: ${problem.message}`,
  })
}
