// What a root holds and held → what an upgrade in it is compared with (docs/upgrades.md). Pure.

import type { Offer, Standing } from '../model/install.ts'
import type { Permissions } from '../model/permissions.ts'
import type { AgentState, Install } from '../model/state.ts'
import type { TrustContext } from '../model/trust.ts'
import { isRevoked } from '../trust-policy/revoked.ts'

export interface ComparedWith {
  readonly version: string
  readonly permissions: Permissions
}

interface Surroundings {
  readonly standing: Standing
  readonly state: AgentState
  readonly trust: TrustContext
}

/**
 * What is installed, if it was trusted when it was put there; else the last one here that was, and of which nothing was revoked since. Other
 * roots do not count: each has its own consent.
 *
 * @param record of what is installed
 * @returns undefined if everything is new
 */
export function comparedWith(
  offer: Offer,
  record: Install | undefined,
  { standing: { root, file }, state, trust }: Surroundings,
): ComparedWith | undefined {
  // All of the same content was agreed to when it was installed, also unsigned.
  if (record?.manifestDigest === offer.manifestDigest) return offer
  const isBundleRevoked = (digest: string) =>
    trust.policies.some(({ policy }) => policy?.revokedBundles.has(digest) === true)
  const isKeyRevoked = (key: string) =>
    trust.policies.some(({ policy }) => policy !== undefined && isRevoked(policy, key))
  if (file.is === 'bundle' && file.permissions !== undefined && !isBundleRevoked(file.manifestDigest))
    return { version: file.version, permissions: file.permissions }
  return state.baselines.findLast(
    ({ root: place, manifestDigest, signers }) =>
      place === root && !isBundleRevoked(manifestDigest) && !signers.some(isKeyRevoked),
  )
}
