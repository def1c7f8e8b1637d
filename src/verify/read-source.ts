// Every bundle that is judged is opened here: a path, bytes, a stream, or a reference to a registry or a layout folder → what was read,
// and which agent it has to be.
import { basename } from 'node:path'
import { isDocument } from '../format/agent/read-agent.ts'
import { blake3Hex } from '../format/blake3.ts'
import { isOciReference } from '../format/oci/scheme.ts'
import { type Expectation, expectationOfFileName } from '../format/version/reference.ts'
import type { BundleInput } from '../io/bundle/bundle-bytes.ts'
import { unreadCandidate } from '../io/bundle/files-of.ts'
import { type ReadBundleOptions, readBundle } from '../io/bundle/read-bundle.ts'
import type { Candidate } from '../model/bundle.ts'
import { RlpError } from '../model/error.ts'
import { expectationOfReference } from './carried-expectation.ts'
import { expectationIn } from './expectation.ts'
import type { ReadSource, ReadSourceOptions } from './source.ts'

/** @throws RlpError USAGE for an invalid `expect` or reference, CANCELLED */
export async function readCandidate(
  source: BundleInput,
  options: ReadSourceOptions,
  keep: ReadBundleOptions['keep'],
): Promise<ReadSource> {
  if (typeof source === 'string' && isOciReference(source)) {
    const expect = expectationOfReference(source, options)
    const { readCarried } = await import('../registry/read-carried.ts')
    const parts = { readBundle, unreadCandidate, isDocument, digestOf: blake3Hex }
    return readCarried(source, expect, options, keep, parts)
  }
  return {
    expect: expectationOf(source, options.expect),
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
