// What is known of keyless signatures, and one trust policy → the identities that have signed a statement (docs/spec/keyless.md, Y-12). Pure.

import type { Anchor, AnchorUse } from '../../model/anchor.ts'
import type { KeylessFinding, KeylessFindings, TrustedRoot } from '../../model/keyless.ts'
import { ownMembers } from '../../model/own.ts'
import type { PolicySource } from '../../model/trust.ts'
import { fitsIdentity } from '../../trust-policy/identity-fits.ts'
import { identityString } from '../../trust-policy/identity-string.ts'

/** Strings of identities, each once. @param payload what is signed, to the byte */
export function keylessSigners(
  source: Pick<PolicySource, 'policy' | 'root'>,
  keyless: KeylessFindings | undefined,
  payload: Uint8Array,
): readonly string[] {
  const { policy, root } = ownMembers(source)
  if (policy === undefined || root === undefined || keyless === undefined) return []
  const found = keyless.list.flatMap(finding => {
    if (finding.signs === undefined || Buffer.compare(finding.payload, payload) !== 0) return []
    const { identity } = identityAnchor(policy.anchors, root, finding, 'sign') ?? {}
    return identity === undefined ? [] : [identityString(identity)]
  })
  return [...new Set(found)]
}

/** The anchor whose identity a proven certificate has. */
export function identityAnchor(
  anchors: readonly Anchor[],
  root: TrustedRoot,
  { facts, proven }: KeylessFinding,
  use: AnchorUse,
): Anchor | undefined {
  const is = proven.get(root.blake3)
  if (is === undefined || 'problem' in is) return undefined
  // One certificate fits one anchor at most (docs/spec/trust-policy.md, K-16).
  return anchors.find(anchor => {
    return anchor.identity !== undefined && anchor.use.includes(use) && fitsIdentity(anchor.identity, facts)
  })
}
