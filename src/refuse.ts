// What speaks against putting a bundle in the place of another, each with the flag that lets it pass (DESIGN §4). Pure.
import { isOlder, isSameVersion } from './format/reference.ts'
import type { Concern, Offer, StandingFile } from './model/install.ts'
import type { Change, Widening } from './model/permissions.ts'
import type { AgentState, Install } from './model/state.ts'
import type { TrustContext, TrustPolicy } from './model/trust.ts'
import { behind } from './verification/marks.ts'

type There = Extract<StandingFile, { is: 'bundle' }> | Install | undefined

/** @param there what is installed in the root, as far as it is known */
export function concerns(
  offer: Offer,
  there: There,
  state: AgentState,
  trust: TrustContext,
  changes: Widening,
): Concern[] {
  const downgrade = olderThan(offer, there, state)
  return [
    ...(downgrade.length > 0 ? downgrade : otherContent(offer, there)),
    ...otherSigner(offer, state, trust),
    ...(state.baseline === undefined ? [] : widened(offer, state.baseline.version, changes.widened)),
  ]
}

/** Older than what is there, than any anchor's mark, or another content under the version of a mark. */
function olderThan(offer: Offer, there: There, { agent, marks }: AgentState): Concern[] {
  const { version, manifestDigest, anchors } = offer
  const newest = [there, ...marks].find(other => other !== undefined && isOlder(version, other.version))
  const known = marks.map(mark => ({ agent, ...mark }))
  const [rolledBack] = behind({ version, manifestDigest, counted: anchors }, known)
  const message =
    newest === undefined ? rolledBack?.message : `${offer.agent} ${newest.version} was installed before it`
  if (message === undefined) return []
  const hint = `Install ${newest === undefined ? 'a newer version' : `${newest.version} or newer`}. If going back is meant, --allow-downgrade does it and records it`
  const reason = newest === undefined && rolledBack?.code === 'other_content' ? 'other_content' : 'older'
  return [{ flag: 'downgrade', refusal: { reason, message, hint } }]
}

/** Without marks nothing says which of the two is right. */
function otherContent(offer: Offer, there: There): Concern[] {
  if (there === undefined || !isSameVersion(offer.version, there.version)) return []
  if (there.manifestDigest === offer.manifestDigest) return []
  const message = `${offer.agent} ${there.version} is installed with other content`
  const hint = 'Give it a new version, or replace what is there with --force'
  return [{ flag: 'force', refusal: { reason: 'other_content', message, hint } }]
}

function otherSigner(offer: Offer, { baseline }: AgentState, { policies }: TrustContext): Concern[] {
  if (baseline === undefined || isSuccessor(offer.signers, baseline.signers, policies)) return []
  const now = offer.anchors.length === 0 ? 'nobody whose signature counts' : offer.anchors.join(' and ')
  const message = `${baseline.version} was signed by ${baseline.anchors.join(' and ')}, this is signed by ${now}, with another key`
  const hint =
    'Ask whoever signed before, in another way than you got the bundle. If the change is meant, --allow-signer-change installs it and records it'
  return [{ flag: 'signer-change', refusal: { reason: 'signer_changed', message, hint } }]
}

/**
 * Whether one of the keys is a former key, belongs to the anchor that a former key belongs to, or is what a revocation names in the place
 * of one. Any policy may say so: it answers who this is, not whether he is trusted.
 */
function isSuccessor(
  keys: readonly string[],
  former: readonly string[],
  policies: TrustContext['policies'],
): boolean {
  if (keys.some(key => former.includes(key))) return true
  return policies.some(
    ({ policy }) => policy !== undefined && keys.some(key => reachable(policy, former).has(key)),
  )
}

function reachable(policy: TrustPolicy, former: readonly string[]): ReadonlySet<string> {
  const found = new Set(former)
  // A set grows while it is walked: chains of replacements are followed, and rings end.
  for (const key of found) {
    const next = policy.revokedKeys.get(key)?.replacedBy
    if (next !== undefined) found.add(next)
    for (const { keys } of policy.anchors) if (keys.includes(key)) for (const other of keys) found.add(other)
  }
  return found
}

function widened(offer: Offer, version: string, changes: readonly Change[]): Concern[] {
  const [first] = changes
  if (first === undefined) return []
  const more = changes.length > 1 ? ` (and ${changes.length - 1} more)` : ''
  const message = `Unlike ${version}, ${offer.agent} ${offer.version} ${first.message}${more}`
  const hint = 'Read what is new. If all of it is meant, --allow-caps-change installs it and records it'
  return [{ flag: 'caps-change', refusal: { reason: 'widened', message, hint } }]
}
