// A bundle's bytes + the policies, state and overrides of this host → one judgement, with everything that it was based on.
import type { Limits } from '../format/archive/header.ts'
import { outlineInSteps } from '../format/read-agent.ts'
import type { Expectation } from '../format/reference.ts'
import { inTurns } from '../io/breathe.ts'
import type { BundleInput } from '../io/bundle-bytes.ts'
import { type AttestationsGiven, attestationsOf } from '../io/read-attestations.ts'
import type { ReadBundleOptions } from '../io/read-bundle.ts'
import type { Attestations } from '../model/attestation.ts'
import type { Candidate } from '../model/bundle.ts'
import type { RegistryAccess } from '../model/carried.ts'
import type { LockSource } from '../model/lock.ts'
import type { OnProgress } from '../model/progress.ts'
import type { PolicySource, TrustContext } from '../model/trust.ts'
import { readLockSource } from '../trust/read-lock.ts'
import { readTrustPolicies } from '../trust/read-trust.ts'
import { knownOf } from './known.ts'
import { mergeAdded } from './merge-added.ts'
import { pinnedReference } from './pinned.ts'
import { readCandidate, withPlace } from './read-source.ts'
import { type Verification, verifyInSteps } from './verify.ts'

/** What verification depends on beside the bytes, as the jobs of this program say it. Without `expect` a bundle's file name makes one. */
export interface ExamineOptions extends ReadOptions {
  readonly expect?: string | undefined
  /** Whether a reference that names no agent needs `expect`. */
  readonly mustExpect?: boolean
  /** How registries are reached; as the environment of this process says it where this is left out. */
  readonly access?: RegistryAccess
  /** Fetch no more of a large bundle in a registry than its texts. */
  readonly partly?: boolean
  /** Sees the bytes of an archive pass by as they are stored. */
  readonly through?: ReadBundleOptions['through']
  readonly label?: string
  /** Where a bundle is that was not found, and what to type; the hint then says that. */
  readonly elsewhere?: (message: string) => Promise<string | undefined>
  readonly allowUnsigned?: boolean
  readonly allowDowngrade?: boolean
  readonly allowDev?: boolean
  /** Read the contents for any signer; no verdict depends on it. */
  readonly look?: boolean
  /** In place of the user's own policy: a path, or what was read already. */
  readonly trustPolicy?: string | PolicySource
  /** The bundle has to be what this lock pins: a path, or what was read already. */
  readonly lock?: string | LockSource
  /** In place of `<bundle>.intoto.jsonl`: a path, its bytes, or false for none. */
  readonly attestations?: AttestationsGiven
  /** In place of `~/.runloop`: policy, marks and overrides of this user; false for none. */
  readonly home?: string | false
  /** In place of the folder `state` of `home`; false for no marks. */
  readonly state?: string | false
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

/** The material of one pass, for `install`: the same files and policies that the report is about. */
export interface Examination {
  readonly candidate: Candidate
  readonly expect: Expectation | 'any'
  readonly trust: TrustContext
  readonly verification: Verification
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
  const attested = await attestationsOf(source, options.attestations)
  return judgeCandidate(candidate, expect, {
    ...options,
    ...(lock && { lock }),
    ...(attested && { attested }),
  })
}

/** Of all options, those about reading. */
export function readingOf(options: ExamineOptions) {
  const { limits, signal, label, onProgress, expect, mustExpect, access, through, partly } = options
  return {
    ...(limits && { limits }),
    ...(signal && { signal }),
    ...(label !== undefined && { label }),
    ...(onProgress && { onProgress }),
    ...(expect !== undefined && { expect }),
    ...(mustExpect !== undefined && { mustExpect }),
    ...(access && { access }),
    ...(through && { through }),
    ...(partly !== undefined && { partly }),
  }
}

interface Judging extends Omit<ExamineOptions, 'expect' | 'label' | Exclude<keyof ReadOptions, 'signal'>> {
  /** What came with the bundle, read. */
  readonly attested?: Attestations
}

/** Judges bytes that were read before, by the current policies, state, overrides and clock. */
export async function judgeCandidate(
  candidate: Candidate,
  expect: Expectation | 'any',
  options: Judging,
): Promise<Examination> {
  const { allowUnsigned, allowDowngrade, allowDev = false, trustPolicy, look, home, signal } = options
  const attestations =
    options.attested ?? (options.attestations === undefined ? candidate.added?.attestations : undefined)
  const lock = typeof options.lock === 'string' ? await readLockSource(options.lock) : options.lock
  const doing = `judging "${candidate.label}"`
  const policies = await readTrustPolicies({
    ...(trustPolicy !== undefined && { given: trustPolicy }),
    ...(home !== undefined && { home }),
  })
  const { candidate: merged, additions } =
    candidate.added === undefined ? { candidate, additions: [] } : mergeAdded(candidate, policies)
  const bundle = await inTurns(outlineInSteps(merged), doing, signal)
  const known = await knownOf(bundle.agent, options)
  const trust = { policies, allowDev, now: new Date(), ...known, ...(attestations && { attestations }) }
  const steps = verifyInSteps(bundle, {
    expect,
    trust,
    ...(allowUnsigned !== undefined && { allowUnsigned }),
    ...(allowDowngrade !== undefined && { allowDowngrade }),
    ...(look !== undefined && { look }),
    ...(lock && { lock }),
    ...(candidate.added?.incomplete !== undefined && { incomplete: candidate.added.incomplete }),
    additions,
  })
  const verification = await inTurns(steps, doing, signal)
  return { candidate: merged, expect, trust, verification }
}
