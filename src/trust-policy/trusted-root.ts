// The table [sigstore] of a trust policy: the file that says which authorities of keyless signatures count (docs/spec/trust-policy.md, K-54 and K-17).
import type { Anchor } from '../model/anchor.ts'
import type { TrustedRootName } from '../model/keyless.ts'
import type { TrustPolicy } from '../model/trust.ts'
import type { TableReader } from '../toml/closed-table.ts'

/** The form that files of a channel’s release have: a policy means the same beside a file and in a channel. */
const FILE_NAME = /^[a-z0-9][a-z0-9._-]{0,63}$/

export function readTrustedRoot(reader: TableReader, value: unknown): TrustedRootName | undefined {
  if (value === undefined) return undefined
  const table = reader.table(value, ['sigstore'])
  reader.closed(table, ['trusted_root'], ['sigstore'])
  const at = ['sigstore', 'trusted_root']
  const named = table['trusted_root']
  if (named === undefined) reader.wrong(['sigstore'], 'it does not say which authorities count: trusted_root')
  const root = reader.table(named, at, 'a trusted root is a table with file and blake3')
  reader.closed(root, ['file', 'blake3'], at)
  const file = reader.text(root['file'], [...at, 'file'])
  const blake3 = reader.text(root['blake3'], [...at, 'blake3'])
  if (named !== undefined && (root['file'] === undefined || root['blake3'] === undefined))
    reader.wrong(at, 'it has file, a name, and blake3, the digest of that file')
  if (file !== undefined && !FILE_NAME.test(file))
    reader.wrong([...at, 'file'], 'it is no name of a file beside the policy, as "sigstore-root.json"')
  if (blake3 !== undefined && !/^[0-9a-f]{64}$/.test(blake3))
    reader.wrong([...at, 'blake3'], 'it is not 64 digits of hex')
  return { file: file ?? '', blake3: blake3 ?? '' }
}

/** Without authorities an identity would be a name that never counts, without a word about it. */
export function refuseRootless(
  reader: TableReader,
  anchors: readonly Anchor[],
  root: TrustedRootName | undefined,
): void {
  const first = anchors.find(({ identity }) => identity !== undefined)
  if (first === undefined || root !== undefined) return
  reader.wrong(
    ['anchors', first.name],
    'an identity needs [sigstore] trusted_root = { file = "sigstore-root.json", blake3 = "…" }',
    'key',
  )
}

export function hasIdentities({ anchors }: TrustPolicy): boolean {
  return anchors.some(({ identity }) => identity !== undefined)
}
