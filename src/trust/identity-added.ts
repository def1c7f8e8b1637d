// Trust policy + an identity that is added → why it is refused, and which trusted root the policy names afterwards. Pure.

import type { Identity } from '../model/anchor.ts'
import type { TrustedRootName } from '../model/keyless.ts'
import { ownMembers } from '../model/own.ts'
import type { TrustPolicy } from '../model/trust.ts'
import type { AnchorAsked, RefuseChange } from '../trust-policy/anchor-fields/field.ts'
import { areAlike } from '../trust-policy/identities.ts'
import { identityString } from '../trust-policy/identity-string.ts'
import { revocationOf } from '../trust-policy/revocation-of.ts'

/** Where a trusted root comes from. */
export const NAME_A_ROOT =
  'Name the file of the authorities with `trustedRoot`; cosign trusted-root create and gh attestation trusted-root write one (docs/trust.md#identities)'

type Asked = Pick<AnchorAsked, 'identity'> & { readonly trustedRoot?: TrustedRootName }

/** @throws RlpError EXISTS for one that is revoked, or that one certificate could fit beside another */
export function refuseIdentity(
  policy: TrustPolicy,
  name: string,
  identity: Identity,
  refuse: RefuseChange,
): void {
  const revocation = revocationOf(policy, identityString(identity))
  if (revocation !== undefined)
    throw refuse(
      'EXISTS',
      'the identity is revoked',
      `A revoked identity never counts. [revoked] names it as ${revocation.name}`,
    )
  const other = policy.anchors.find(
    one => one.name !== name && one.identity !== undefined && areAlike(one.identity, identity),
  )
  if (other === undefined) return
  throw refuse(
    'EXISTS',
    `one certificate could fit it and ${other.name}`,
    'Give them different refs or environments, or add the rule to the one that is there',
  )
}

/** What is named stays: another root would let other authorities vouch for every identity that is there. */
export function rootAfter(
  policy: TrustPolicy,
  asked: Asked,
  refuse: RefuseChange,
): TrustPolicy['trustedRoot'] {
  const { identity, trustedRoot: given } = ownMembers(asked)
  const there = policy.trustedRoot
  if (there === undefined && given === undefined && identity !== undefined)
    throw refuse('NOT_FOUND', 'it names no trusted root, by which an identity is proven', NAME_A_ROOT)
  if (there !== undefined && given !== undefined && there.blake3 !== given.blake3)
    throw refuse(
      'EXISTS',
      `it names another trusted root, ${there.file}`,
      'Leave `trustedRoot` out. docs/trust.md#identities says how a root is renewed',
    )
  return there ?? given
}
