// Gathers what is known of the keyless signatures that came with a bundle. Nothing of them is read unless a policy names an identity. The
// Sigstore bundles that are proven go first into a file that may not have room for all: strangers add what they like.
import type { Attestations } from '../../model/attestation.ts'
import type { Candidate } from '../../model/bundle.ts'
import type { KeylessFinding, KeylessFindings } from '../../model/keyless.ts'
import type { PolicySource, TrustContext } from '../../model/trust.ts'
import { type Turn, WITHOUT_TURNS } from '../../model/turn.ts'
import { hasIdentities } from '../../trust-policy/trusted-root.ts'

/** @throws RlpError CANCELLED */
export async function keylessFindings(
  attestations: Attestations | undefined,
  policies: readonly PolicySource[],
  candidate: Pick<Candidate, 'files' | 'unsignedSha256'>,
  turn: Turn = WITHOUT_TURNS,
): Promise<KeylessFindings | undefined> {
  const found = attestations?.keyless
  if (found === undefined || !asksForAny(policies)) return undefined
  const { isAnyClaimed, proveKeyless, readKeyless } = await import('./prove-keyless.ts')
  const read = readKeyless(found, candidate)
  // The libraries are large, and a stranger’s bundle is no reason to load them.
  const prover = isAnyClaimed(read, policies) ? await import('../../sigstore/prove.ts') : UNASKED
  return proveKeyless(found, read, policies, candidate.unsignedSha256, prover, turn)
}

function asksForAny(policies: readonly PolicySource[]): boolean {
  return policies.some(({ policy }) => policy !== undefined && hasIdentities(policy))
}

const UNASKED = {
  authoritiesOf: () => undefined,
  prove: () => ({ problem: 'no root was asked' }),
}

export function provenOf({ attestations, keyless }: TrustContext): Attestations | undefined {
  const found = attestations?.keyless
  if (attestations === undefined || found === undefined || keyless === undefined) return undefined
  const proven = new Set(keyless.list.filter(hasProof).map(({ where }) => where))
  const bundles = found.bundles.filter(({ where }) => proven.has(where))
  return { ...attestations, envelopes: [], keyless: { ...found, bundles } }
}

/** By the root of any policy. */
export function hasProof({ proven }: KeylessFinding): boolean {
  return [...proven.values()].some(one => 'proof' in one)
}
