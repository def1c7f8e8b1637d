// The table [require] of a trust policy, and who has signed and attested → a line for each thing that is required. Pure.
import type { PolicyLine, SignerFact, TrustPolicy } from '../model/trust.ts'
import { type RequiredLine, requiredLines } from './attested.ts'
import type { Evidence } from './believed.ts'

export type RequirementCode =
  | 'required_signature_missing'
  | 'too_few_signatures'
  | 'no_counted_signature'
  | 'attestation_missing'

interface Required {
  readonly evidence: Evidence
  readonly allowDev: boolean
}

/** The requirements about signatures, then those about statements. */
export function required(
  policy: TrustPolicy,
  counted: readonly string[],
  signers: readonly SignerFact[],
  { evidence, allowDev }: Required,
  orRevoked: boolean,
): (RequiredLine & { readonly code: RequirementCode })[] {
  const attested = requiredLines(policy, evidence, { allowDev, orRevoked })
  return [
    ...requirement(policy, counted, signers),
    ...attested.map(line => ({ ...line, code: 'attestation_missing' as const })),
  ]
}

function requirement(
  { require }: TrustPolicy,
  counted: readonly string[],
  signers: readonly SignerFact[],
): (PolicyLine & { readonly code: RequirementCode })[] {
  const missing = (require?.anchors ?? []).map((name, index) => {
    const isThere = counted.includes(name)
    return {
      at: ['require', 'anchors', index],
      says: isThere ? ('for' as const) : ('against' as const),
      code: 'required_signature_missing' as const,
      detail: `The required signature of ${name} is ${isThere ? 'there' : 'missing'}`,
    }
  })
  const wanted = require?.signatures ?? 1
  const isEnough = counted.length >= wanted
  if (require === undefined && isEnough) return missing
  const number = {
    at: require === undefined ? ['anchors'] : ['require', 'signatures'],
    says: isEnough ? ('for' as const) : ('against' as const),
    code: wanted > 1 ? ('too_few_signatures' as const) : ('no_counted_signature' as const),
    detail: isEnough
      ? `${counted.length} of at least ${wanted} anchors signed`
      : shortfall(counted.length, wanted, signers),
  }
  return [...missing, number]
}

function shortfall(found: number, wanted: number, signers: readonly SignerFact[]): string {
  if (wanted > 1) return `${wanted} anchors must have signed, ${found} did`
  const other = signers.find(({ why }) => why !== undefined)
  return other === undefined
    ? 'No signature is one of an anchor of this policy that counts'
    : `The only signature is by ${other.is} of ${other.anchor}`
}
