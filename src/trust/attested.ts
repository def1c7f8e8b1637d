// The statements that a trust policy requires, as far as keys decide about them (docs/evidence.md). Pure.

import type { CountedStatement, LookedInto } from '../model/attestation.ts'
import type { RequiredAttestation, TrustPolicy } from '../model/trust.ts'
import { predicateWord } from '../statement/predicates/index.ts'
import { isAnyOf } from '../trust-policy/requirements/attestations.ts'
import { requirementsFor } from '../trust-policy/requirements/index.ts'
import { believedIn } from './believed.ts'
import type { TrustFacts } from './facts.ts'
import type { AsIf } from './signer.ts'

/** Each once, also where several policies require it: `required provenance by ci`. */
export function attestedWords(counted: readonly CountedStatement[]): string[] {
  return [...new Set(counted.map(({ type, by }) => `required ${predicateWord(type)} by ${by.join(' and ')}`))]
}

/** The keys that attested what a policy requires, under a supposition. */
export function attestors(policy: TrustPolicy, facts: TrustFacts, asIf: AsIf): readonly string[] {
  if (requiredStatements(policy, facts.agent).length === 0) return []
  return believedIn(policy, facts.evidence, { ...facts, ...asIf })
    .filter(one => isRequired(policy, one, facts.agent))
    .flatMap(({ keyids }) => keyids)
}

/** Whether an envelope is what a policy requires in one place. @param agent `name` or `name@variant` */
export function isRequired(policy: TrustPolicy, one: LookedInto, agent: string): boolean {
  return isAnyOf(requiredStatements(policy, agent), one, policy)
}

function requiredStatements({ require }: TrustPolicy, agent: string): readonly RequiredAttestation[] {
  return requirementsFor(require, agent).flatMap(({ entry }) => entry.attestations ?? [])
}
