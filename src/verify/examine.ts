// A bundle's bytes + the policies, state and overrides of this host → one judgement, with everything that it was based on.
import type { BundleInput } from '../io/bundle/bundle-bytes.ts'
import { unreadCandidate } from '../io/bundle/read-bundle.ts'
import { RlpError } from '../model/error.ts'
import type { Reason } from '../model/report.ts'
import { examineBy, type Judging, type ReadWay } from './examine-by.ts'
import { type Examination, judgeCandidate } from './judge-candidate.ts'
import { pinnedReference } from './pinned.ts'
import { readCandidate } from './read-source.ts'
import type { Verification } from './verify.ts'

export type { JobJudging, Judging } from './examine-by.ts'

/** From registries as well. */
export const readAnywhere: ReadWay = (source, options, keep, locks) => {
  const pinned = typeof source === 'string' ? pinnedReference(source, locks) : source
  return readCandidate(pinned, options, keep)
}

/** One pass of reading and judging, for the functions above and for the command. */
export async function verifyWith(
  source: BundleInput,
  options: Judging,
  keep: 'parsed' | 'all',
): Promise<Verification> {
  return (await examine(source, options, keep)).verification
}

/** The report of a bundle that could not be read. */
export async function reportUnread(
  { code, message, hint }: Pick<Reason, 'code' | 'message' | 'hint'>,
  options: Judging,
): Promise<Verification> {
  const is = code === 'timed_out' ? 'TIMED_OUT' : 'IO'
  const error = new RlpError(is, message, { hint })
  const candidate = unreadCandidate(options.label ?? '', error)
  return (await judgeCandidate(candidate, 'any', { ...options, attestations: false })).verification
}

/** @throws RlpError USAGE for an invalid `expect`, CANCELLED if `signal` aborts */
export async function examine(
  source: BundleInput,
  options: Judging,
  keep: 'parsed' | 'all',
): Promise<Examination> {
  return examineBy(readAnywhere, source, options, keep)
}
