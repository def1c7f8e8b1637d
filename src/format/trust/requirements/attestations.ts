// [require] attestations: statements that have to come with a bundle (docs/evidence.md; docs/spec/trust-policy.md, K-29 to K-32).
import type { LookedInto } from '../../../model/attestation.ts'
import { COMPARED_FIELDS, type ComparedField, type RequiredAttestation } from '../../../model/trust.ts'
import { comparedFields, predicateWord } from '../../evidence/predicates/index.ts'
import { quoteText } from '../../text/quote.ts'
import { readRequiredAttestations } from '../required-attestations.ts'
import type { Requirement } from './field.ts'

export const attestations = {
  read(reader, value, at, { anchors }) {
    const read = readRequiredAttestations(reader, value, at, anchors)
    return read.length === 0 ? undefined : read
  },
  judge: (required = [], { statements, unread }, at) =>
    required.map((one, index) => {
      const what = `The required ${predicateWord(one.type)}`
      const found = statements.find(statement => lackOf(one, statement) === undefined)
      const line = { at: [...at, index], code: 'attestation_missing' as const }
      if (found !== undefined) {
        const by = attestorsOf(found, one.by)
        const detail = `${what} is there: ${by.join(' and ')} attested it`
        return { ...line, says: 'for', detail, attested: { type: one.type, by, where: found.where } }
      }
      const why = unread ?? nearest(one, statements)
      return { ...line, says: 'against', detail: `${what} by ${one.by.join(' or ')} is missing: ${why}` }
    }),
  shown: (required = []) => required.map(shown).join('; '),
  lost: (required = [], anchor) =>
    required.some(({ by }) => by.includes(anchor)) ? '[require] names it' : undefined,
} as const satisfies Requirement<readonly RequiredAttestation[] | undefined>

const COMPARED_WORDS: Readonly<Record<ComparedField, string>> = { builder: 'built by', source: 'from' }

function shown({ type, by, ...wanted }: RequiredAttestation): string {
  const fields = COMPARED_FIELDS.map(field => wanted[field] && ` ${COMPARED_WORDS[field]} ${wanted[field]}`)
  return `${predicateWord(type)}${fields.filter(Boolean).join('')}, attested by ${by.join(' or ')}`
}

/** Whether an envelope is what is required in one place. */
export function isAnyOf(required: readonly RequiredAttestation[] | undefined, one: LookedInto): boolean {
  return required?.some(wanted => lackOf(wanted, one) === undefined) === true
}

/** The anchors that count, of those that have signed it. */
function attestorsOf(one: LookedInto, by: readonly string[]): readonly string[] {
  return one.by.filter(name => by.includes(name))
}

interface Lack {
  /** How far it came: the more, the nearer. */
  readonly passed: number
  readonly why: string
}

/** Why an envelope is not what is required; undefined if it is. */
function lackOf({ type, by, ...wanted }: RequiredAttestation, one: LookedInto): Lack | undefined {
  const { where, statement, problem } = one
  const signers = attestorsOf(one, by)
  const isNot = `${where} is ${problem ?? ''}`
  if (one.by.length === 0) return { passed: 0, why: isNot }
  if (signers.length === 0) return { passed: 1, why: `${where} is attested by ${one.by.join(' and ')} alone` }
  if (statement === undefined) return { passed: 2, why: isNot }
  if (statement.predicateType !== type)
    return { passed: 3, why: `${where} is of the type ${quoteText(statement.predicateType)}` }
  if (problem !== undefined) return { passed: 4, why: isNot }
  const fields = comparedFields(statement)
  const other = COMPARED_FIELDS.find(field => wanted[field] !== undefined && fields[field] !== wanted[field])
  if (other === undefined) return undefined
  const named = fields[other]
  const found = named === undefined ? `no ${other}` : `the ${other} ${quoteText(named)}`
  return { passed: 5, why: `${where} names ${found}` }
}

function nearest(required: RequiredAttestation, looked: readonly LookedInto[]): string {
  const [lack] = looked.flatMap(one => lackOf(required, one) ?? []).sort((a, b) => b.passed - a.passed)
  return lack?.why ?? 'no statement came with the bundle'
}
