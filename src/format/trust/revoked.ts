// The table [revoked] of a trust policy: keys and bundles that count no more, however somebody spelled them (DESIGN §3.7).
import type { Pointer } from '../../model/document.ts'
import type { Revocation } from '../../model/trust.ts'
import type { TableReader } from '../closed-table.ts'
import { anchorString, isMeantAsAnchor, readAnchor } from '../signature/kinds/index.ts'

export function readRevoked(reader: TableReader, value: unknown) {
  const revokedKeys = new Map<string, Revocation>()
  const revokedBundles = new Map<string, Revocation>()
  for (const [what, entry] of Object.entries(reader.table(value, ['revoked']))) {
    const at = ['revoked', what]
    const name = revokedName(what)
    const isBundle = name?.startsWith('blake3:') === true
    const revocation = readRevocation(reader, entry, at, isBundle)
    if (name === undefined) {
      const shown = isMeantAsAnchor(what) ? keyProblemOf(what) : 'is neither ed25519:… nor blake3:…'
      reader.wrong(at, `what is revoked ${shown}`, 'key')
      continue
    }
    const key = isBundle ? name.slice('blake3:'.length) : name
    const all = isBundle ? revokedBundles : revokedKeys
    if (all.has(key)) reader.wrong(at, 'it stands here already, written differently', 'key')
    all.set(key, revocation)
  }
  return { revokedKeys, revokedBundles }
}

/** How a revocation is known, however it is written: an anchor string, or `blake3:` and lower-case digits. */
export function revokedName(written: string): string | undefined {
  const bundle = /^blake3:([0-9a-fA-F]{64})$/.exec(written)?.[1]
  if (bundle !== undefined) return `blake3:${bundle.toLowerCase()}`
  const read = readAnchor(written)
  return 'key' in read ? anchorString(read.key) : undefined
}

function readRevocation(reader: TableReader, value: unknown, at: Pointer, isBundle: boolean): Revocation {
  const table = reader.table(value, at)
  reader.closed(table, isBundle ? ['since', 'reason'] : ['since', 'reason', 'replaced_by'], at)
  const since = reader.text(table['since'], [...at, 'since'])
  if (since !== undefined && !isDay(since)) reader.wrong([...at, 'since'], 'it is not a day, YYYY-MM-DD')
  const replacedBy = table['replaced_by']
  const [key] = isBundle || replacedBy === undefined ? [] : reader.keys(replacedBy, [...at, 'replaced_by'])
  return { since, reason: reader.text(table['reason'], [...at, 'reason']), replacedBy: key }
}

/** `YYYY-MM-DD`, and a day that exists. */
export function isDay(text: string): boolean {
  if (!/^[0-9]{4}-[0-9]{2}-[0-9]{2}$/.test(text)) return false
  const time = Date.parse(text)
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(text)
}

function keyProblemOf(text: string): string {
  const read = readAnchor(text)
  return 'problem' in read ? read.problem : ''
}
