// Every bundle that is judged is opened here: a path, bytes, a stream, or a reference to a registry or a layout folder → what was read,
// and which agent it has to be.
import { basename } from 'node:path'
import { isOciReference } from '../format/oci/scheme.ts'
import { type Expectation, expectationOfFileName } from '../format/reference.ts'
import type { BundleInput } from '../io/bundle-bytes.ts'
import { type ReadBundleOptions, readBundle } from '../io/read-bundle.ts'
import { readCarried } from '../registry/read-carried.ts'
import { expectationIn } from './expectation.ts'
import type { ReadSource, ReadSourceOptions } from './source.ts'

/** @throws RlpError USAGE for an invalid `expect` or reference, CANCELLED */
export async function readCandidate(
  source: BundleInput,
  options: ReadSourceOptions,
  keep: ReadBundleOptions['keep'],
): Promise<ReadSource> {
  if (typeof source === 'string' && isOciReference(source)) return readCarried(source, options, keep)
  const { expect, mustExpect: _, access: __, partly: ___, ...read } = options
  return { expect: expectationOf(source, expect), candidate: await readBundle(source, { keep, ...read }) }
}

/** An explicit expectation counts; without one a bundle's file name makes one. */
function expectationOf(source: BundleInput, expect: string | undefined): Expectation | 'any' {
  if (expect !== undefined) return expectationIn(expect)
  return (typeof source === 'string' && expectationOfFileName(basename(source))) || 'any'
}
