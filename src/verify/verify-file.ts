// A bundle's bytes + the policies, state and overrides of this host → one judgement, with everything that it was based on.
import type { Limits } from '../format/archive/header.ts'
import type { BundleInput } from '../io/bundle/bundle-bytes.ts'
import { attestationsOf } from '../io/bundle/read-attestations.ts'
import { type ReadBundleOptions, unreadCandidate } from '../io/bundle/read-bundle.ts'
import type { RegistryAccess } from '../model/carried.ts'
import { RlpError } from '../model/error.ts'
import type { OnProgress } from '../model/progress.ts'
import type { Reason } from '../model/report.ts'
import { readLockSource } from '../trust/read-lock.ts'
import { type Examination, type JudgeOptions, judgeCandidate } from './judge-candidate.ts'
import { pinnedReference } from './pinned.ts'
import { readCandidate, withPlace } from './read-source.ts'
import type { Verification } from './verify.ts'

/** What verification depends on beside the bytes, as the jobs of this program say it. Without `expect` a bundle's file name makes one. */
export interface ExamineOptions extends ReadOptions, JudgeOptions {
  readonly expect?: string | undefined
  /** Whether a reference that names no agent needs `expect`. */
  readonly mustExpect?: boolean
  /** How registries are reached; as the environment of this process says it where this is left out. */
  readonly access?: RegistryAccess
  /** Fetch no more of a large bundle in a registry than its texts. */
  readonly partly?: boolean
  /** False refuses a path that ends in a link. */
  readonly follow?: boolean
  /** Sees the bytes of an archive pass by as they are stored. */
  readonly through?: ReadBundleOptions['through']
  /** Gets each piece of an archive, without a wrapper. */
  readonly plain?: ReadBundleOptions['plain']
  readonly label?: string
  /** Where a bundle is that was not found, and what to type; the hint then says that. */
  readonly elsewhere?: (message: string) => Promise<string | undefined>
}

interface ReadOptions {
  readonly limits?: Limits
  readonly signal?: AbortSignal
  readonly onProgress?: OnProgress | undefined
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
  const error = new RlpError(is, message, hint === undefined ? {} : { hint })
  const candidate = unreadCandidate(options.label ?? '', error)
  return (await judgeCandidate(candidate, 'any', { ...options, attestations: false })).verification
}

/** @throws RlpError USAGE for an invalid `expect`, CANCELLED if `signal` aborts */
export async function examine(
  source: BundleInput,
  options: ExamineOptions,
  keep: 'parsed' | 'all',
): Promise<Examination> {
  const { lock: given } = options
  const lock = typeof given === 'string' ? await readLockSource(given) : given
  const pinned = typeof source === 'string' && lock !== undefined ? pinnedReference(source, lock) : source
  const { candidate: read, expect } = await readCandidate(pinned, readingOf(options), keep)
  const candidate = await withPlace(read, options.elsewhere)
  const attested = await attestationsOf(source, options.attestations, options.follow)
  return judgeCandidate(candidate, expect, {
    ...options,
    ...(lock && { lock }),
    ...(attested && { attested }),
  })
}

/** Of all options, those about reading. */
export function readingOf(options: ExamineOptions) {
  const { limits, signal, label, onProgress, expect, mustExpect, access, through, plain, partly, follow } =
    options
  return {
    ...(limits && { limits }),
    ...(signal && { signal }),
    ...(label !== undefined && { label }),
    ...(onProgress && { onProgress }),
    ...(expect !== undefined && { expect }),
    ...(mustExpect !== undefined && { mustExpect }),
    ...(access && { access }),
    ...(through && { through }),
    ...(plain && { plain }),
    ...(partly !== undefined && { partly }),
    ...(follow !== undefined && { follow }),
  }
}
