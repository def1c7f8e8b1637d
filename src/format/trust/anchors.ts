// The table [anchors] of a trust policy: signers, their keys, and what their signatures are for (docs/spec/trust-policy.md, K-9 to K-14).
import type { Pointer } from '../../model/document.ts'
import { ANCHOR_USES, type Anchor, type AnchorUse } from '../../model/trust.ts'
import type { TableReader } from '../closed-table.ts'

const ANCHOR_NAME = /^[A-Za-z0-9_-]{1,64}$/

export function isAnchorName(text: string): boolean {
  return ANCHOR_NAME.test(text)
}

/** Whether the keys of an anchor sign bundles. */
export function maySign({ use }: Anchor): boolean {
  return use.includes('sign')
}

export function readAnchors(reader: TableReader, value: unknown): Anchor[] {
  const anchors = Object.entries(reader.table(value, ['anchors'])).map(([name, one]) =>
    readAnchorTable(reader, name, one),
  )
  refuseSharedKeys(reader, anchors)
  return anchors
}

function readAnchorTable(reader: TableReader, name: string, value: unknown): Anchor {
  const at = ['anchors', name]
  if (!isAnchorName(name)) reader.wrong(at, 'an anchor’s name has letters, digits, _ and - only', 'key')
  if (typeof value === 'string') return { name, keys: reader.keys(value, at), allowDev: false, use: ['sign'] }
  const table = reader.table(value, at, 'an anchor is a key, or a table with key or keys')
  reader.closed(table, ['key', 'keys', 'allow_dev', 'use'], at)
  const one = table['key'] === undefined ? [] : reader.keys(table['key'], [...at, 'key'])
  const many = reader.list(table['keys'], [...at, 'keys']).flatMap((key, index) => {
    return reader.keys(key, [...at, 'keys', index])
  })
  // Readers could differ in which of the two counts.
  if (table['key'] !== undefined && table['keys'] !== undefined)
    reader.wrong([...at, 'keys'], 'an anchor has key or keys, not both', 'key')
  const { keys = [] } = table
  const isEmpty = table['key'] === undefined && Array.isArray(keys) && keys.length === 0
  if (isEmpty && typeof value === 'object' && !Array.isArray(value)) reader.wrong(at, 'the anchor has no key')
  return {
    ...{ name, keys: [...one, ...many], use: readUse(reader, table['use'], [...at, 'use']) },
    allowDev: reader.flag(table['allow_dev'], [...at, 'allow_dev']),
  }
}

/** One key under two anchors could be counted as two people. */
function refuseSharedKeys(reader: TableReader, anchors: readonly Anchor[]): void {
  const owner = new Map<string, string>()
  for (const { name, keys } of anchors) {
    for (const key of keys) {
      const other = owner.get(key)
      if (other !== undefined) reader.wrong(['anchors', name], `its key is under ${other} already`)
      owner.set(key, name)
    }
  }
}

function readUse(reader: TableReader, value: unknown, at: Pointer): readonly AnchorUse[] {
  if (value === undefined) return ['sign']
  const words = reader.texts(value, at, text => {
    return ANCHOR_USES.some(use => use === text) ? undefined : `known are ${ANCHOR_USES.join(' and ')}`
  })
  const use = ANCHOR_USES.filter(one => words.includes(one))
  if (use.length !== words.length) reader.wrong(at, 'a use appears twice')
  // No word would be a signer who counts for nothing.
  if (Array.isArray(value) && value.length === 0) reader.wrong(at, 'it names no use')
  return use
}
