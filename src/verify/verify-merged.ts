// A bundle and what was added to it where it is stored → judged with the signatures that count. Where nothing is under SIGNATURES/, each statement that was
// signed is judged alone, and the best one is the bundle's (docs/spec/keyless.md, Y-15).
import { outline } from '../agent/read-in-turns.ts'
import type { Candidate, Outline } from '../model/bundle.ts'
import type { TrustContext } from '../model/trust.ts'
import { type Turn, WITHOUT_TURNS } from '../model/turn.ts'
import type { Circumstances } from './circumstances.ts'
import { isBetter } from './is-better.ts'
import { keylessGroups } from './keyless-groups.ts'
import { mergeAdded } from './merge-added.ts'
import { type Verification, verify } from './verify.ts'

export interface MergedVerification {
  /** With the signatures that were added and judged. */
  readonly candidate: Candidate
  readonly verification: Verification
}

export async function verifyMerged(
  bundle: Outline,
  circumstances: Circumstances & { readonly trust: TrustContext },
  turn: Turn = WITHOUT_TURNS,
): Promise<MergedVerification> {
  const { policies, keyless } = circumstances.trust
  const merged = mergeAdded(bundle, policies)
  // An unsigned bundle may have signatures that were added, and keyless ones: both are judged.
  const isBeside =
    merged.some(one => one.candidate !== bundle) && keylessGroups(bundle.agent, keyless).length > 0
  let best: MergedVerification | undefined
  for (const { candidate: one, additions } of isBeside
    ? [...merged, { candidate: bundle, additions: [] }]
    : merged) {
    const outlined = one === bundle ? bundle : await outline(one, turn)
    const incomplete = bundle.added?.incomplete
    const verification = await verify(outlined, { ...circumstances, incomplete, additions }, turn)
    if (best === undefined || isBetter(verification, best.verification))
      best = { candidate: one, verification }
  }
  if (best === undefined) throw new TypeError('a bundle is judged at least once')
  return best
}
