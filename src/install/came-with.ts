// What came with a bundle that is installed → what its file of attestations is to hold.
import { joinAttestations } from '../format/evidence/lines.ts'
import { attestationsOf } from '../io/read-attestations.ts'
import { bundlePath, type Root } from '../io/root-places.ts'
import type { TrustContext } from '../model/trust.ts'

/** Nothing where nothing came with it. Until it is in place, the file there belongs to its predecessor, whose statements are kept. */
export async function cameWith(
  { attestations }: TrustContext,
  root: Root,
  agent: string,
): Promise<{ readonly attestations?: Uint8Array }> {
  const came = attestations?.envelopes ?? []
  if (came.length === 0) return {}
  const before = await attestationsOf(bundlePath(root, agent), undefined)
  return { attestations: joinAttestations(came, before?.envelopes ?? []) }
}
