// The table [anchors] of a trust policy: signers, their keys, and what their signatures are for (docs/spec/trust-policy.md, K-8 to K-13).

import type { Anchor } from '../model/anchor.ts'
import { isTable } from '../model/own.ts'
import type { TableReader } from '../toml/closed-table.ts'
import { newAnchor, readAnchorFields } from './anchor-fields/index.ts'
import { refuseAlike } from './identities.ts'

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
  refuseAlike(reader, anchors)
  return anchors
}

function readAnchorTable(reader: TableReader, name: string, value: unknown): Anchor {
  const at = ['anchors', name]
  if (!isAnchorName(name)) reader.wrong(at, 'an anchor’s name has letters, digits, _ and - only', 'key')
  if (typeof value === 'string') return { ...newAnchor(name, {}), keys: reader.keys(value, at) }
  const table = reader.table(value, at, 'an anchor is a key, or a table with key or keys')
  if (!isTable(value)) return { ...newAnchor(name, {}), keys: [] }
  return readAnchorFields(reader, name, table, at)
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
