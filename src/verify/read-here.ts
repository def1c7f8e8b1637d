// A bundle that is not in a registry: a path, bytes or a stream → what was read, and which agent it has to be.

import { basename } from 'node:path'
import type { BundleInput } from '../io/bundle/bundle-bytes.ts'
import { type ReadBundleOptions, readBundle } from '../io/bundle/read-bundle.ts'
import type { Candidate } from '../model/bundle.ts'
import { RlpError } from '../model/error.ts'
import { ownMembers } from '../model/own.ts'
import { type Expectation, expectationOfFileName } from '../version/reference.ts'
import { expectationIn } from './expectation.ts'
import type { ReadSource, ReadSourceOptions } from './source.ts'

/** @throws RlpError USAGE for an invalid `expect`, CANCELLED */
export async function readHere(
  source: BundleInput,
  options: ReadSourceOptions,
  keep: ReadBundleOptions['keep'],
): Promise<ReadSource> {
  return {
    expect: expectationOf(source, ownMembers(options).expect),
    candidate: await readBundle(source, { ...options, keep }),
  }
}

/** An explicit expectation counts; without one a bundle's file name makes one. */
export function expectationOf(source: BundleInput, expect: string | undefined): Expectation | 'any' {
  if (expect !== undefined) return expectationIn(expect)
  return (typeof source === 'string' && expectationOfFileName(basename(source))) || 'any'
}

/** @param elsewhere where a bundle is that was not found, and what to type: its hint then says that */
export async function withPlace(
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
