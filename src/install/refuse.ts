// Reasons against replacing an installed bundle, each with the flag that allows it anyway. Pure.

import type { Concern, Offer, StandingFile } from '../model/install.ts'
import type { Change } from '../model/permissions.ts'
import type { AgentState, Install } from '../model/state.ts'
import type { TrustContext, TrustPolicy } from '../model/trust.ts'
import { wasSigned } from '../state/marks.ts'
import { revocationOf } from '../trust-policy/revoked.ts'
import { behind } from '../verify/marks.ts'
import { isOlder, isSameVersion } from '../version/reference.ts'

const DOWNGRADE = 'For this one install, --allow-downgrade does it and records it'

type There = Extract<StandingFile, { is: 'bundle' }> | Install | undefined

/** @param there what is installed in the root, as far as it is known */
export function concerns(offer: Offer, there: There, state: AgentState, trust: TrustContext): Concern[] {
  // A version that a reset has forgotten no longer blocks another one.
  const counting = there !== undefined && wasForgotten(there, state) ? undefined : there
  return [
    ...first(behindMark(offer, state, trust), olderThan(offer, counting), otherContent(offer, counting)),
    ...first(nowUnsigned(offer, state), otherSigner(offer, state, trust)),
  ]
}

function first(...concerns: readonly (Concern | undefined)[]): Concern[] {
  return concerns.filter(concern => concern !== undefined).slice(0, 1)
}

function wasForgotten({ manifestDigest }: NonNullable<There>, { resets }: AgentState): boolean {
  return resets.some(({ marks }) => marks.some(mark => mark.manifestDigest === manifestDigest))
}

/** Verification checked the marks before, but they may have risen since. */
function behindMark(
  { agent, version, manifestDigest }: Offer,
  { marks }: AgentState,
  { marks: judged }: TrustContext,
): Concern | undefined {
  const installed = 'marks' in judged ? judged.marks.filter(mark => mark.installed !== undefined) : []
  const known = [...marks.map(mark => ({ agent, ...mark })), ...installed]
  const found = behind({ version, manifestDigest }, known)
  if (found === undefined) return undefined
  const { message, hint = '' } = found
  return found.code === 'older'
    ? { flag: 'downgrade', refusal: { reason: 'older', message, hint: `${hint}. ${DOWNGRADE}` } }
    : { flag: 'none', refusal: { reason: 'other_content', message, hint } }
}

function olderThan({ agent, version }: Offer, there: There): Concern | undefined {
  if (there === undefined || !isOlder(version, there.version)) return undefined
  const message = `${agent} ${there.version} is installed, and ${version} is older`
  const hint = `Install ${there.version} or a newer version. ${DOWNGRADE}`
  return { flag: 'downgrade', refusal: { reason: 'older', message, hint } }
}

/** Only if no mark decides which of the two is right. */
function otherContent(offer: Offer, there: There): Concern | undefined {
  if (there === undefined || !isSameVersion(offer.version, there.version)) return undefined
  if (there.manifestDigest === offer.manifestDigest) return undefined
  const message = `${offer.agent} ${there.version} is installed with other content`
  const hint = 'Give it a new version, or replace what is there with --force'
  return { flag: 'force', refusal: { reason: 'other_content', message, hint } }
}

/** Verification refused this before, but a signed version may have been installed since. */
function nowUnsigned({ agent, verdict }: Offer, state: AgentState): Concern | undefined {
  if (verdict !== 'unsigned' || !wasSigned(state)) return undefined
  const message = `${agent} was installed signed before, and this is unsigned`
  const hint = 'Ask its author to sign it with rlp agent sign'
  return { flag: 'none', refusal: { reason: 'signature_required', message, hint } }
}

function otherSigner(offer: Offer, state: AgentState, { policies }: TrustContext): Concern | undefined {
  const { baselines, marks } = state
  const baseline = baselines.at(-1)
  if (baseline === undefined) return undefined
  const former = [...baseline.signers, ...marks.flatMap(({ keys }) => keys)]
  if (isSuccessor(offer.signers, former, policies)) return undefined
  const before =
    baseline.anchors.length === 0 ? 'keys that were not recorded' : baseline.anchors.join(' and ')
  const now = offer.anchors.join(' and ')
  const message = `${baseline.version} was signed by ${before}, this is signed by ${now}, with another key`
  const hint =
    'Ask the former signer, by another way than you got the bundle. If the change is intended, --allow-signer-change installs it and records it'
  return { flag: 'signer-change', refusal: { reason: 'signer_changed', message, hint } }
}

/**
 * Whether one of the keys is a former key, belongs to the anchor of a former key, or is named by a revocation as its replacement. Any
 * policy may say so: this decides who the signer is, not whether they are trusted.
 */
export function isSuccessor(
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
  // A set also visits members that are added during the loop: it follows chains of replacements and ends on rings.
  for (const key of found) {
    const next = revocationOf(policy, key)?.replacedBy
    if (next !== undefined) found.add(next)
    for (const { keys } of policy.anchors) if (keys.includes(key)) for (const other of keys) found.add(other)
  }
  return found
}

/**
 * The same content with signatures that expire earlier, or without one that counts, has nothing to give.
 * @param holds what is installed, and trusted today
 */
export function weaker(offer: Offer, holds: Offer | undefined, { policies }: TrustContext): Concern[] {
  if (holds === undefined || holds.manifestDigest !== offer.manifestDigest) return []
  const lost = holds.signers.filter(key => !isSuccessor(offer.signers, [key], policies))
  const isEarlier = endOf(offer) < endOf(holds)
  if (lost.length === 0 && !isEarlier) return []
  const is = isEarlier
    ? `its signatures expire at ${offer.notAfter}, and those of the installed ${holds.version} ${holds.notAfter === undefined ? 'do not expire' : `at ${holds.notAfter}`}`
    : `the signature of ${lost.join(' and ')}, which counts for the installed ${holds.version}, is missing`
  const hint = 'To pin what is installed, run rlp lock update with the reference that has these signatures'
  return [{ flag: 'none', refusal: { reason: 'weaker_signatures', message: is, hint } }]
}

function endOf({ notAfter }: Offer): number {
  return notAfter === undefined ? Number.POSITIVE_INFINITY : Date.parse(notAfter)
}

/** @param version that it is compared with; undefined if everything is new here */
export function widened(offer: Offer, version: string | undefined, changes: readonly Change[]): Concern[] {
  const [first] = changes
  if (first === undefined) return []
  const more = changes.length > 1 ? ` (and ${changes.length - 1} more)` : ''
  const name = `${offer.agent} ${offer.version}`
  const message =
    version === undefined
      ? `All of ${name} is new here, because no trusted version of it that still counts was installed in this root: it ${first.message}${more}`
      : `Unlike ${version}, ${name} ${first.message}${more}`
  const hint = 'Read what is new. If all of it is intended, --allow-caps-change installs it and records it'
  return [{ flag: 'caps-change', refusal: { reason: 'widened', message, hint } }]
}
