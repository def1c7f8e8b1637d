// The list [require] attestations of a trust policy: statements that have to come with a bundle (docs/evidence.md).
import type { Pointer } from '../model/document.ts'
import { own } from '../model/own.ts'
import { COMPARED_FIELDS, type ComparedField, type RequiredAttestation } from '../model/trust.ts'
import { PREDICATE_TYPE } from '../signature/envelope.ts'
import { typesWith } from '../statement/predicates/index.ts'
import { quoteText } from '../text/quote.ts'
import type { TableReader } from '../toml/closed-table.ts'
import type { OfPolicy } from './requirements/field.ts'

export function readRequiredAttestations(
  reader: TableReader,
  value: unknown,
  at: Pointer,
  policy: OfPolicy,
): readonly RequiredAttestation[] {
  return reader.list(value, at).map((one, index) => readRequired(reader, one, [...at, index], policy))
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
