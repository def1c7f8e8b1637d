// [require] attestations: statements that have to come with a bundle (docs/evidence.md; docs/spec/trust-policy.md, K-42 to K-45).
import type { LookedInto } from '../../model/attestation.ts'
import type { Pointer } from '../../model/document.ts'
import { own } from '../../model/own.ts'
import {
  COMPARED_FIELDS,
  type ComparedField,
  type RequiredAttestation,
  type TrustPolicy,
} from '../../model/trust.ts'
import { PREDICATE_TYPE } from '../../signature/envelope.ts'
import { comparedFields, predicateWord, typesWith } from '../../statement/predicates/index.ts'
import { quoteText } from '../../text/quote.ts'
import type { TableReader } from '../../toml/closed-table.ts'
import { anchorsNamed, isMet } from '../anchors.ts'
import { isRef } from '../identity-fits.ts'
import type { OfPolicy, Requirement } from './field.ts'

export const attestations = {
  key: 'attestations',
  forms: ['table', 'entry'],
  read(reader, value, at, policy) {
    const read = reader.list(value, at).map((one, index) => readRequired(reader, one, [...at, index], policy))
    return read.length === 0 ? undefined : read
  },
  judge: (required = [], { statements, unread, policy }, at) =>
    required.map((one, index) => {
      const what = `The required ${predicateWord(one.type)}`
      const line = { at: [...at, index], code: 'attestation_missing' as const }
      const found = foundIn(one, statements, policy)
      if (found !== undefined) {
        const detail = `${what} is there: ${found.by.join(' and ')} attested it`
        return { ...line, says: 'for', detail, attested: { type: one.type, ...found } }
      }
      const wanted = `${predicateWord(one.type)} by ${one.by.join(' or ')}`
      const other = unread === undefined ? nearest(one, statements, policy) : undefined
      const none = unread ?? 'no statement came with the bundle'
      // Others of its kind may be there: that it is missing would say the opposite.
      const detail =
        other === undefined
          ? `The required ${wanted} is missing: ${none}`
          : `Nothing that came with the bundle is the required ${wanted}: ${other}`
      return { ...line, says: 'against', detail }
    }),
  shown: (required = []) => required.map(shown).join('; '),
  // A statement is written by hand.
  literal: () => undefined,
  beyond(entries, than) {
    const known = new Set(than.flatMap(({ attestations = [] }) => attestations.map(sameAs)))
    const all = entries.flatMap(({ attestations = [] }) => attestations)
    return all.filter(one => !known.has(sameAs(one))).map(shown)
  },
  lost: (required = [], anchor) =>
    required.some(({ by }) => by.includes(anchor)) ? '[require] names it' : undefined,
} as const satisfies Requirement<readonly RequiredAttestation[] | undefined>

/** Who has stated it, if that is enough: one anchor, or so many different signers of a group as it needs. */
function foundIn(required: RequiredAttestation, statements: readonly LookedInto[], policy: TrustPolicy) {
  const fitting = statements.filter(one => lackOf(required, one, policy) === undefined)
  const alone = fitting.find(one => one.by.some(name => required.by.includes(name)))
  if (alone !== undefined)
    return { by: alone.by.filter(name => required.by.includes(name)), where: alone.where }
  const stated = fitting.flatMap(({ by }) => by)
  const anchors = anchorsNamed(policy.anchors, stated)
  const group = policy.groups.find(one => required.by.includes(one.name) && isMet(one, anchors))
  const [first] = fitting
  if (group === undefined || first === undefined) return undefined
  return { by: group.of.filter(name => anchors.has(name)), where: first.where }
}

const COMPARED_WORDS: Readonly<Record<ComparedField, string>> = { builder: 'built by', source: 'from' }

function shown({ type, by, ref, ...wanted }: RequiredAttestation): string {
  const fields = COMPARED_FIELDS.map(field => wanted[field] && ` ${COMPARED_WORDS[field]} ${wanted[field]}`)
  const at = ref === undefined ? '' : ` at ${ref}`
  return `${predicateWord(type)}${fields.filter(Boolean).join('')}${at}, attested by ${by.join(' or ')}`
}

/** Equal if each is met by what meets the other. */
function sameAs({ by, ...wanted }: RequiredAttestation): string {
  return JSON.stringify([
    wanted.type,
    wanted.ref,
    COMPARED_FIELDS.map(field => wanted[field]),
    [...by].sort(),
  ])
}

/** Whether an envelope is what is required in one place. */
export function isAnyOf(
  required: readonly RequiredAttestation[],
  one: LookedInto,
  policy: TrustPolicy,
): boolean {
  return required.some(wanted => lackOf(wanted, one, policy) === undefined)
}

/** The anchors that count, of those that have signed it. */
function attestorsOf(one: LookedInto, by: readonly string[], { groups }: TrustPolicy): readonly string[] {
  const members = groups.flatMap(({ name, of }) => (by.includes(name) ? of : []))
  return one.by.filter(name => by.includes(name) || members.includes(name))
}

interface Lack {
  /** How far it came: the more, the nearer. */
  readonly passed: number
  readonly why: string
}

/** Why an envelope is not what is required; undefined if it is. */
function lackOf(
  { type, by, ref, ...wanted }: RequiredAttestation,
  one: LookedInto,
  policy: TrustPolicy,
): Lack | undefined {
  const { where, statement, problem } = one
  const signers = attestorsOf(one, by, policy)
  const isNot = `${where} is ${problem ?? ''}`
  if (one.by.length === 0) return { passed: 0, why: isNot }
  if (signers.length === 0) return { passed: 1, why: `${where} is attested by ${one.by.join(' and ')} alone` }
  if (statement === undefined) return { passed: 2, why: isNot }
  if (statement.predicateType !== type)
    return { passed: 3, why: `${where} is of the type ${quoteText(statement.predicateType)}` }
  if (problem !== undefined) return { passed: 4, why: isNot }
  const fields = comparedFields(statement)
  const named = { ...fields, ...(one.certified && { source: one.certified.source }) }
  const other = COMPARED_FIELDS.find(field => wanted[field] !== undefined && named[field] !== wanted[field])
  if (other !== undefined) return { passed: 5, why: `${where} names ${nameOf(other, named[other])}` }
  if (ref === undefined || isRef(ref, one.certified?.ref)) return undefined
  return { passed: 6, why: `${where} names ${nameOf('ref', one.certified?.ref)}` }
}

function nameOf(field: string, named: string | undefined): string {
  return named === undefined ? `no ${field}` : `the ${field} ${quoteText(named)}`
}

/** Undefined if no statement came at all. */
function nearest(
  required: RequiredAttestation,
  looked: readonly LookedInto[],
  policy: TrustPolicy,
): string | undefined {
  const [lack] = looked
    .flatMap(one => lackOf(required, one, policy) ?? [])
    .sort((a, b) => b.passed - a.passed)
  const isFitting = looked.some(one => lackOf(required, one, policy) === undefined)
  if (isFitting) return 'too few different signers of the group have attested it'
  return lack?.why
}

/** A certificate names the ref of what was built, as it names the source. */
function typesOf(field: ComparedField | 'ref'): readonly string[] {
  return typesWith(field === 'ref' ? 'source' : field)
}

const NO_PATTERNS = 'has a *, and there are no patterns here: write the whole text that the statement has'

function readRequired(
  reader: TableReader,
  value: unknown,
  at: Pointer,
  { anchors, groups, attesting }: OfPolicy,
): RequiredAttestation {
  const table = reader.table(value, at, 'a required attestation is a table with type and by')
  reader.closed(table, ['type', 'by', ...COMPARED_FIELDS, 'ref'], at)
  const text = (key: string) => {
    const read = reader.text(own(table, key), [...at, key])
    const exact = key === 'ref' ? read?.replace(/\*$/, '') : read
    if (exact === '') reader.wrong([...at, key], 'it is empty')
    // It would never match, and a person who wrote it believes that it does.
    if (read !== undefined && exact?.includes('*'))
      reader.wrong([...at, key], `${quoteText(read)} ${NO_PATTERNS}`)
    return read
  }
  const type = text('type')
  if (table['type'] === undefined) reader.wrong(at, 'it has no type')
  // What signs a bundle is no evidence about it.
  if (type === PREDICATE_TYPE)
    reader.wrong([...at, 'type'], 'this is what signatures state: require anchors or signatures')
  const by = reader.texts(table['by'], [...at, 'by'], name => {
    return attesting.has(name) ? undefined : 'it is no anchor with use = ["attest"]'
  })
  const compared: Record<ComparedField, string | undefined> = {
    builder: text('builder'),
    source: text('source'),
  }
  // An empty list could be read as "by any key".
  if (table['by'] === undefined) reader.wrong(at, 'it does not say by whom')
  else if (Array.isArray(table['by']) && table['by'].length === 0)
    reader.wrong([...at, 'by'], 'it names no anchor')
  if (new Set(by).size !== by.length) reader.wrong([...at, 'by'], 'an anchor appears twice')
  const ref = text('ref')
  const stray = [...COMPARED_FIELDS, 'ref' as const].find(
    field => own(table, field) !== undefined && type !== undefined && !typesOf(field).includes(type),
  )
  if (stray !== undefined) {
    const types = typesOf(stray).join(' and ')
    reader.wrong([...at, stray], `only statements of the type ${types} have one`, 'key')
  }
  const members = by.flatMap(name => groups.find(one => one.name === name)?.of ?? [name])
  // What a key signs may name any ref: only a certificate says which it was.
  if (ref !== undefined && members.some(name => anchors.get(name)?.identity === undefined))
    reader.wrong([...at, 'ref'], 'only statements by identities have one, and by names a key', 'key')
  return { type: type ?? '', by, ...compared, ref }
}
