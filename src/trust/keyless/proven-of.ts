// What a bundle was judged with → the Sigstore bundles that are proven. They go first into a file that may not have room for all: strangers add what they like.
import type { Attestations } from '../../model/attestation.ts'
import type { KeylessFinding } from '../../model/keyless.ts'
import type { TrustContext } from '../../model/trust.ts'

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
