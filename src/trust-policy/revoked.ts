// The table [revoked] of a trust policy: keys, identities and bundles that no longer count, each in the one spelling that is compared
// (docs/spec/trust-policy.md, K-51 to K-53; docs/spec/judging.md, J-10). An identity is revoked with all that it names, or by its
// beginning.
import type { Pointer } from '../model/document.ts'
import type { Revocation, TrustPolicy } from '../model/trust.ts'
import { anchorString, isMeantAsAnchor, readAnchor } from '../signature/kinds/index.ts'
import type { TableReader } from '../toml/closed-table.ts'
import { bundleIdentity, readIdentity } from '../version/reference.ts'
import { isIdentityString, isMeantAsIdentity, namesIdentity } from './identity-string.ts'

export function readRevoked(reader: TableReader, value: unknown) {
  const revokedKeys = new Map<string, Revocation>()
  const revokedBundles = new Map<string, Revocation>()
  for (const [what, entry] of Object.entries(reader.table(value, ['revoked']))) {
    const at = ['revoked', what]
    const name = revokedName(what)
    const isBundle = name?.startsWith('blake3:') === true
    const revocation = readRevocation(reader, entry, at, isBundle)
    if (name !== what) {
      const shown = name === undefined ? problemOf(what) : `must be written "${name}"`
      reader.wrong(at, `what is revoked ${shown}`, 'key')
    } else if (isBundle) revokedBundles.set(name.slice('blake3:'.length), revocation)
    else revokedKeys.set(name, revocation)
  }
  return { revokedKeys, revokedBundles }
}

/** What a person typed → how a policy writes it: an anchor string, or `blake3:` and lower-case digits. */
export function revokedName(typed: string): string | undefined {
  const bundle = readIdentity(typed)
  if (bundle !== undefined) return bundleIdentity(bundle)
  if (isMeantAsIdentity(typed)) return isIdentityString(typed) ? typed : undefined
  const read = readAnchor(typed)
  return 'key' in read ? anchorString(read.key) : undefined
}

function readRevocation(reader: TableReader, value: unknown, at: Pointer, isBundle: boolean): Revocation {
  const table = reader.table(value, at)
  reader.closed(table, isBundle ? ['since', 'reason'] : ['since', 'reason', 'replaced_by'], at)
  const since = readDay(reader, table['since'], [...at, 'since'])
  const replacedBy = table['replaced_by']
  const [key] = isBundle || replacedBy === undefined ? [] : reader.keys(replacedBy, [...at, 'replaced_by'])
  return { since, reason: reader.text(table['reason'], [...at, 'reason']), replacedBy: key }
}

function readDay(reader: TableReader, value: unknown, at: Pointer): string | undefined {
  if (typeof value !== 'string') return reader.text(value, at)
  if (isDay(value) && reader.isQuoted(at)) return value
  const day = value.slice(0, 10)
  reader.wrong(at, `it is not a day in quotes: write ${isDay(day) ? `"${day}"` : 'for example "2026-11-01"'}`)
  return undefined
}

/** `YYYY-MM-DD`, and a day that exists. */
export function isDay(text: string): boolean {
  if (!/^[0-9]{4}-[0-9]{2}-[0-9]{2}$/.test(text)) return false
  const time = Date.parse(text)
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(text)
}

function problemOf(text: string): string {
  if (isMeantAsIdentity(text))
    return 'is no identity: write oidc:, the issuer, ? and its members, as rlp trust list shows them'
  if (!isMeantAsAnchor(text)) return 'is neither ed25519:… nor blake3:… with 64 digits of hex'
  const read = readAnchor(text)
  return 'problem' in read ? read.problem : ''
}

interface FoundRevocation extends Revocation {
  /** As the policy names it. */
  readonly name: string
}

/** @param signer an anchor string, or that of an identity */
export function revocationOf({ revokedKeys }: TrustPolicy, signer: string): FoundRevocation | undefined {
  const exact = revokedKeys.get(signer)
  if (exact !== undefined) return { ...exact, name: signer }
  if (!isMeantAsIdentity(signer)) return undefined
  const [name, revocation] = [...revokedKeys].find(([name]) => namesIdentity(name, signer)) ?? []
  return name === undefined || revocation === undefined ? undefined : { ...revocation, name }
}

export function isRevoked(policy: TrustPolicy, signer: string): boolean {
  return revocationOf(policy, signer) !== undefined
}
