// Opens and judges a bundle with a given way to read it. The way that is here reads no registry: a path, bytes or a stream.

import { basename } from 'node:path'
import type { BundleInput } from '../io/bundle/bundle-bytes.ts'
import { attestationsOf } from '../io/bundle/read-attestations.ts'
import { type ReadBundleOptions, readBundle } from '../io/bundle/read-bundle.ts'
import type { Candidate } from '../model/bundle.ts'
import type { RegistryAccess } from '../model/carried.ts'
import { RlpError } from '../model/error.ts'
import type { LockSource } from '../model/lock.ts'
import { own } from '../model/own.ts'
import { type Expectation, expectationOfFileName } from '../version/reference.ts'
import { expectationIn } from './expectation.ts'
import { type Examination, type JudgeOptions, judgeCandidate } from './judge-candidate.ts'
import { openLocks } from './open-locks.ts'

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
  return judgeCandidate(candidate, expect, options, { locks, attested })
}

/** What is judged, and what came with it. */
export async function readBy(read: ReadWay, source: BundleInput, options: Judging, keep: 'parsed' | 'all') {
  const locks = await openLocks(own(options, 'locks'))
  const attested = await attestationsOf(source, own(options, 'attestations'), own(options, 'follow'))
  // Statements by identities are about the archive without its signatures. It is hashed while it is read, where any came.
  const unsigned = own(options, 'unsigned') === true || attested?.keyless !== undefined
  const { candidate, expect } = await read(source, readingOf(options, unsigned), keep, locks)
  return { candidate: await withPlace(candidate, own(options, 'elsewhere')), expect, locks, attested }
}

/** Every option of reading, so that none is forgotten. */
type Reading = { readonly [K in keyof Required<ReadSourceOptions>]: ReadSourceOptions[K] }

function readingOf(options: Judging, unsigned: boolean): Reading {
  return {
    limits: own(options, 'limits'),
    signal: own(options, 'signal'),
    label: own(options, 'label'),
    size: own(options, 'size'),
    onProgress: own(options, 'onProgress'),
    follow: own(options, 'follow'),
    through: own(options, 'through'),
    plain: own(options, 'plain'),
    unsigned,
    expect: own(options, 'expect'),
    mustExpect: own(options, 'mustExpect'),
    access: own(options, 'access'),
  }
}

/** @throws RlpError USAGE for an invalid `expect`, CANCELLED */
export async function readHere(
  source: BundleInput,
  options: ReadSourceOptions,
  keep: ReadBundleOptions['keep'],
): Promise<ReadSource> {
  return {
    expect: expectationOf(source, own(options, 'expect')),
    candidate: await readBundle(source, { ...options, keep }),
  }
}

/** An explicit expectation counts; without one a bundle's file name makes one. */
export function expectationOf(source: BundleInput, expect: string | undefined): Expectation | 'any' {
  if (expect !== undefined) return expectationIn(expect)
  return (typeof source === 'string' && expectationOfFileName(basename(source))) || 'any'
}

/** @param elsewhere where a bundle is that was not found, and what to type: its hint then says that */
async function withPlace(
  candidate: Candidate,
  elsewhere: ((message: string) => Promise<string | undefined>) | undefined,
): Promise<Candidate> {
  const { refusal } = candidate
  const error = refusal?.error
  if (refusal === undefined || error?.code !== 'NOT_FOUND') return candidate
  const hint = await elsewhere?.(refusal.message)
  if (hint === undefined) return candidate
  const { code, message } = error
  return {
    ...candidate,
    refusal: { ...refusal, hint, error: new RlpError(code, message, { hint, cause: error }) },
  }
}

export interface ReadSourceOptions extends Omit<ReadBundleOptions, 'keep'> {
  readonly expect?: string | undefined
  /** Whether a reference that names no agent needs `expect`: for what uses a bundle, and not only looks at it. */
  readonly mustExpect?: boolean | undefined
  readonly access?: RegistryAccess | undefined
}

export interface ReadSource {
  readonly candidate: Candidate
  readonly expect: Expectation | 'any'
}
