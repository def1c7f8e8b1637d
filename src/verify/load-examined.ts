// A bundle that was examined → what may be used of it, or why it may not be.
import { usable } from '../caps/overrides.ts'
import type { Examination } from './judge-candidate.ts'
import { type LoadedBundle, load } from './load.ts'
import { NotVerifiedError } from './not-verified.ts'

/**
 * @param examination of a bundle whose bytes were kept (`keep: 'all'`)
 * @param judging all options by which it was judged
 * @throws NotVerifiedError; RlpError for what could not be read
 */
export function loadExamined({ candidate, trust, verification }: Examination, judging: object): LoadedBundle {
  const { report, bundle } = verification
  if (candidate.refusal?.error !== undefined) throw candidate.refusal.error
  if (bundle === undefined) throw new NotVerifiedError(report)
  return load(bundle, usable(trust.overrides).sound, trust.attestations, judging)
}
