// The list [require] attestations of a trust policy: statements that have to come with a bundle (docs/evidence.md).
import type { Pointer } from '../../model/document.ts'
import { own } from '../../model/own.ts'
import {
  type Anchor,
  COMPARED_FIELDS,
  type ComparedField,
  type RequiredAttestation,
} from '../../model/trust.ts'
import { typesWith } from '../evidence/predicates/index.ts'
import { quoteText } from '../text/quote.ts'
import type { TableReader } from '../toml/closed-table.ts'

export function readRequiredAttestations(
  reader: TableReader,
  value: unknown,
  at: Pointer,
  anchors: readonly Anchor[],
): readonly RequiredAttestation[] {
  return reader.list(value, at).map((one, index) => readRequired(reader, one, [...at, index], anchors))
}

const NO_PATTERNS = 'has a *, and there are no patterns here: write the whole text that the statement has'

function readRequired(
  reader: TableReader,
  value: unknown,
  at: Pointer,
  anchors: readonly Anchor[],
): RequiredAttestation {
  const table = reader.table(value, at, 'a required attestation is a table with type and by')
  reader.closed(table, ['type', 'by', ...COMPARED_FIELDS], at)
  const text = (key: string) => {
    const read = reader.text(own(table, key), [...at, key])
    if (read === '') reader.wrong([...at, key], 'it is empty')
    // It would never match, and a person who wrote it believes that it does.
    if (read?.includes('*')) reader.wrong([...at, key], `${quoteText(read)} ${NO_PATTERNS}`)
    return read
  }
  const type = text('type')
  if (table['type'] === undefined) reader.wrong(at, 'it has no type')
  const by = reader.texts(table['by'], [...at, 'by'], name => {
    return anchors.some(one => one.name === name && one.use.includes('attest'))
      ? undefined
      : 'it is no anchor with use = ["attest"]'
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
  const stray = COMPARED_FIELDS.find(
    field => compared[field] !== undefined && type !== undefined && !typesWith(field).includes(type),
  )
  if (stray !== undefined) {
    const types = typesWith(stray).join(' and ')
    reader.wrong([...at, stray], `only statements of the type ${types} have one`, 'key')
  }
  return { type: type ?? '', by, ...compared }
}
