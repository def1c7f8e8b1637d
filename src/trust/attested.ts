// The statements that a trust policy requires, and what came with a bundle → which are there, and why the others are missing
// (docs/evidence.md). Pure.
import { predicateWord } from '../format/evidence/predicate-types.ts'
import { provenanceFields } from '../format/evidence/provenance-fields.ts'
import { quoteText } from '../format/text/quote.ts'
import type { CountedStatement } from '../model/attestation.ts'
import type { PolicyLine, RequiredAttestation, SignerFact, TrustPolicy } from '../model/trust.ts'
import { type Believing, believedIn, type Evidence, type LookedInto } from './believed.ts'

/** A line, and the statement that counted if there is one. */
export interface RequiredLine extends PolicyLine {
  readonly attested?: CountedStatement
}

/** A line for each statement that a policy requires. */
export function requiredLines(
  policy: TrustPolicy,
  evidence: Evidence,
  believing: Believing,
): readonly RequiredLine[] {
  const { attestations = [] } = policy.require ?? {}
  if (attestations.length === 0) return []
  const looked = believedIn(policy, evidence, believing)
  return attestations.map((required, index) => {
    const at = ['require', 'attestations', index]
    const what = `The required ${predicateWord(required.type)}`
    const found = looked.find(one => lackOf(required, one) === undefined)
    if (found !== undefined) {
      const { type } = required
      const by = attestorsOf(found, required.by)
      const detail = `${what} is there: ${by.join(' and ')} attested it`
      return { at, says: 'for' as const, detail, attested: { type, by, where: found.where } }
    }
    const why = unreadIn(evidence) ?? nearest(required, looked)
    return {
      at,
      says: 'against' as const,
      detail: `${what} by ${required.by.join(' or ')} is missing: ${why}`,
    }
  })
}

/** Each once, also where several policies require it: `required provenance by ci`. */
export function attestedWords(counted: readonly CountedStatement[]): string[] {
  return [...new Set(counted.map(({ type, by }) => `required ${predicateWord(type)} by ${by.join(' and ')}`))]
}

/** The anchors that count, of those that have signed it. */
function attestorsOf(one: LookedInto, by: readonly string[]): readonly string[] {
  return one.by.filter(name => by.includes(name))
}

function unreadIn({ attestations }: Evidence): string | undefined {
  const { label, problem } = attestations ?? {}
  return problem && `${label}: ${problem.message}`
}

/** A revoked key that attested what a policy requires. */
export function revokedAttestor(
  policy: TrustPolicy,
  { evidence, allowDev }: { readonly evidence: Evidence; readonly allowDev: boolean },
): SignerFact | undefined {
  const signer = believedIn(policy, evidence, { allowDev, orRevoked: true })
    .filter(one => isRequired(policy, one))
    .flatMap(({ keyids }) => keyids)
    .find(keyid => policy.revokedKeys.has(keyid))
  const anchor = policy.anchors.find(({ keys }) => signer !== undefined && keys.includes(signer))
  return signer === undefined ? undefined : { signer, anchor: anchor?.name, is: 'revoked' }
}

/** Whether an envelope is what a policy requires in one place. */
export function isRequired({ require }: TrustPolicy, one: LookedInto): boolean {
  return require?.attestations?.some(required => lackOf(required, one) === undefined) === true
}

interface Lack {
  /** How far it came: the more, the nearer. */
  readonly passed: number
  readonly why: string
}

/** Why an envelope is not what is required; undefined if it is. */
function lackOf({ type, by, builder, source }: RequiredAttestation, one: LookedInto): Lack | undefined {
  const { where, statement, problem } = one
  const signers = attestorsOf(one, by)
  const isNot = `${where} is ${problem ?? ''}`
  if (one.by.length === 0) return { passed: 0, why: isNot }
  if (signers.length === 0) return { passed: 1, why: `${where} is attested by ${one.by.join(' and ')} alone` }
  if (statement === undefined) return { passed: 2, why: isNot }
  if (statement.predicateType !== type)
    return { passed: 3, why: `${where} is of the type ${quoteText(statement.predicateType)}` }
  if (problem !== undefined) return { passed: 4, why: isNot }
  const fields = provenanceFields(statement)
  const differs = (field: 'builder' | 'source', wanted: string | undefined) =>
    wanted !== undefined && fields[field] !== wanted
      ? `${where} names ${fields[field] === undefined ? `no ${field}` : `the ${field} ${quoteText(fields[field])}`}`
      : undefined
  const why = differs('builder', builder) ?? differs('source', source)
  return why === undefined ? undefined : { passed: 5, why }
}

function nearest(required: RequiredAttestation, looked: readonly LookedInto[]): string {
  const [lack] = looked.flatMap(one => lackOf(required, one) ?? []).sort((a, b) => b.passed - a.passed)
  return lack?.why ?? 'no statement came with the bundle'
}
