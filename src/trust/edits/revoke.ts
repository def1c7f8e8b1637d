// trust revoke: keys, identities and bundles that never count again.
import { valueAt } from '../../json/pointer.ts'
import { ownMembers } from '../../model/own.ts'
import type { Revocation } from '../../model/trust.ts'
import { doubleQuoted } from '../../text/double-quoted.ts'
import type { TomlChange } from '../../toml/edit.ts'
import { tableLiteral } from '../../toml/write.ts'
import type { EditKind } from './edit.ts'

export interface RevokeChange {
  readonly do: 'revoke'
  /** Anchor strings and `blake3:<digest>`. */
  readonly what: readonly string[]
  /** `YYYY-MM-DD` */
  readonly since?: string | undefined
  readonly reason?: string | undefined
  /** An anchor string. */
  readonly replacedBy?: string | undefined
}

export const revokeEdit: EditKind<RevokeChange> = {
  after(policy, change) {
    const { what, since, reason, replacedBy } = ownMembers(change)
    const revokedKeys = new Map(policy.revokedKeys)
    const revokedBundles = new Map(policy.revokedBundles)
    for (const one of what) {
      const bundle = one.startsWith('blake3:') ? one.slice('blake3:'.length) : undefined
      const [all, key] = bundle === undefined ? [revokedKeys, one] : [revokedBundles, bundle]
      const old: Revocation = all.get(key) ?? { since: undefined, reason: undefined, replacedBy: undefined }
      all.set(key, {
        since: since ?? old.since,
        reason: reason ?? old.reason,
        replacedBy: bundle === undefined ? (replacedBy ?? old.replacedBy) : undefined,
      })
    }
    return { ...policy, revokedKeys, revokedBundles }
  },
  places(change, { document }) {
    const { what, since, reason, replacedBy } = ownMembers(change)
    const entries = Object.entries({ since, reason, replaced_by: replacedBy })
    const literal = tableLiteral(
      Object.fromEntries(
        entries.map(([key, value]) => [key, value === undefined ? value : doubleQuoted(value)]),
      ),
    )
    return what.flatMap((one): TomlChange[] => {
      const path = ['revoked', one]
      if (valueAt(document.value, path) === undefined) return [{ path, literal }]
      return entries.flatMap(([key, value]) =>
        value === undefined ? [] : [{ path: [...path, key], set: value }],
      )
    })
  },
  about: ({ what }) => what,
  reason: change => ownMembers(change).reason,
}
