// A bundle's bytes + the policies, state and overrides of this host → one judgement, with everything that it was based on.
import type { BundleInput } from '../io/bundle/bundle-bytes.ts'
import { unreadCandidate } from '../io/bundle/files-of.ts'
import { attestationsOf } from '../io/bundle/read-attestations.ts'
import { RlpError } from '../model/error.ts'
import type { Reason } from '../model/report.ts'
import { readLockSource } from '../trust/read-lock.ts'
import { type Examination, type JudgeOptions, judgeCandidate } from './judge-candidate.ts'
import { pinnedReference } from './pinned.ts'
import { readCandidate, withPlace } from './read-source.ts'
import type { ReadSourceOptions } from './source.ts'
import type { Verification } from './verify.ts'

/** What verification depends on beside the bytes, as the jobs of this program say it. Without `expect` a bundle's file name makes one. */
export interface ExamineOptions extends ReadSourceOptions, JudgeOptions {
  /** Where a bundle is that was not found, and what to type; the hint then says that. */
  readonly elsewhere?: ((message: string) => Promise<string | undefined>) | undefined
}

/** One pass of reading and judging, for the functions above and for the command. */
export async function verifyWith(
  source: BundleInput,
  options: ExamineOptions,
  keep: 'parsed' | 'all',
): Promise<Verification> {
  return (await examine(source, options, keep)).verification
}

/** The report of a bundle that could not be read. */
export async function reportUnread(
  { code, message, hint }: Pick<Reason, 'code' | 'message' | 'hint'>,
  options: ExamineOptions,
): Promise<Verification> {
  const is = code === 'timed_out' ? 'TIMED_OUT' : 'IO'
  const error = new RlpError(is, message, { hint })
  const candidate = unreadCandidate(options.label ?? '', error)
  return (await judgeCandidate(candidate, 'any', { ...options, attestations: false })).verification
}

/** @throws RlpError USAGE for an invalid `expect`, CANCELLED if `signal` aborts */
export async function examine(
  source: BundleInput,
  options: ExamineOptions,
  keep: 'parsed' | 'all',
): Promise<Examination> {
  const { candidate, expect, lock, attested } = await readWith(source, options, keep)
  return judgeCandidate(candidate, expect, { ...options, lock, attested })
}

/** What is judged, and what came with it. It can be judged again later, by what counts then. */
export async function readWith(source: BundleInput, options: ExamineOptions, keep: 'parsed' | 'all') {
  const { lock: given } = options
  const lock = typeof given === 'string' ? await readLockSource(given) : given
  const pinned = typeof source === 'string' && lock !== undefined ? pinnedReference(source, lock) : source
  const attested = await attestationsOf(source, options.attestations, options.follow)
  // Statements by identities are about the archive without its signatures. It is hashed while it is read, where any came.
  const unsigned = attested?.keyless !== undefined
  const { candidate: read, expect } = await readCandidate(pinned, { ...options, unsigned }, keep)
  const candidate = await withPlace(read, options.elsewhere)
  return { candidate, expect, lock, attested }
}
