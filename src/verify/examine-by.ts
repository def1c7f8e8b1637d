// A way to read bundles, and one of them → one judgement by the policies, state and overrides of this host.

import type { BundleInput } from '../io/bundle/bundle-bytes.ts'
import { attestationsOf } from '../io/bundle/read-attestations.ts'
import type { LockSource } from '../model/lock.ts'
import { ownMembers } from '../model/own.ts'
import { type Examination, type JudgeOptions, judgeCandidate } from './judge-candidate.ts'
import { locksGiven } from './lock-given.ts'
import { withPlace } from './read-here.ts'
import type { ReadSource, ReadSourceOptions } from './source.ts'

/**
 * What verification depends on beside the bytes. A command or a function of the library makes it once, and it is handed on whole. Without `expect` a
 * bundle's file name makes one.
 */
export interface Judging extends ReadSourceOptions, JudgeOptions {
  /** Where a bundle is that was not found, and what to type; the hint then says that. */
  readonly elsewhere?: ((message: string) => Promise<string | undefined>) | undefined
}

/** That of a job, which ends when `signal` aborts. */
export interface JobJudging extends Judging {
  readonly signal: AbortSignal
}

/** @param locks that may pin what is read */
export type ReadWay = (
  source: BundleInput,
  options: ReadSourceOptions,
  keep: 'parsed' | 'all',
  locks: readonly LockSource[],
) => Promise<ReadSource>

/** @throws RlpError USAGE for an invalid `expect`, CANCELLED if `signal` aborts */
export async function examineBy(
  read: ReadWay,
  source: BundleInput,
  options: Judging,
  keep: 'parsed' | 'all',
): Promise<Examination> {
  const { candidate, expect, locks, attested } = await readBy(read, source, options, keep)
  return judgeCandidate(candidate, expect, { ...options, locks, attested })
}

/** What is judged, and what came with it. */
export async function readBy(read: ReadWay, source: BundleInput, given: Judging, keep: 'parsed' | 'all') {
  const options = ownMembers(given)
  const locks = await locksGiven(options.locks)
  const attested = await attestationsOf(source, options.attestations, options.follow)
  // Statements by identities are about the archive without its signatures. It is hashed while it is read, where any came.
  const unsigned = options.unsigned === true || attested?.keyless !== undefined
  const { candidate, expect } = await read(source, { ...options, unsigned }, keep, locks)
  return { candidate: await withPlace(candidate, options.elsewhere), expect, locks, attested }
}
