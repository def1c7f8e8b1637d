// What came with a bundle that is installed → what its file of attestations is to hold.

import { attestationsOf } from '../io/bundle/read-attestations.ts'
import { bundlePath, type Root } from '../io/root/root-places.ts'
import type { AttestationBytes, Attestations } from '../model/attestation.ts'
import type { TrustContext } from '../model/trust.ts'
import { joinAttestations, lineKey } from '../statement/join-lines.ts'
import { isNothing } from '../statement/lines.ts'
import { provenOf } from '../trust/keyless/proven-of.ts'

export interface CameWith {
  /** Undefined where nothing came with it. */
  readonly attestations?: Uint8Array
  /** Whether one of them is not there yet. */
  readonly isNew: boolean
}

/** Until it is in place, the file there belongs to its predecessor, whose statements are kept. */
export async function cameWith(trust: TrustContext, root: Root, agent: string): Promise<CameWith> {
  const { attestations } = trust
  if (isNothing(attestations)) return { isNew: false }
  const before = await attestationsOf(bundlePath(root, agent), undefined)
  const known = new Set(linesOf(before).map(lineKey))
  return {
    attestations: joinAttestations(provenOf(trust), attestations, before),
    isNew: linesOf(attestations).some(one => !known.has(lineKey(one))),
  }
}

function linesOf(came: Attestations | undefined): readonly AttestationBytes[] {
  return [...(came?.envelopes ?? []), ...(came?.keyless?.bundles ?? [])]
}
