// Every bundle that is judged is opened here: a path, bytes, a stream, or a reference to a registry or a layout folder → what was read,
// and which agent it has to be.

import type { BundleInput } from '../io/bundle/bundle-bytes.ts'
import { type ReadBundleOptions, readBundle, unreadCandidate } from '../io/bundle/read-bundle.ts'
import { isOciReference } from '../oci/scheme.ts'
import { expectationOfReference } from './carried-expectation.ts'
import { readHere } from './read-here.ts'
import type { ReadSource, ReadSourceOptions } from './source.ts'

/** @throws RlpError USAGE for an invalid `expect` or reference, CANCELLED */
export async function readCandidate(
  source: BundleInput,
  options: ReadSourceOptions,
  keep: ReadBundleOptions['keep'],
): Promise<ReadSource> {
  if (typeof source !== 'string' || !isOciReference(source)) return readHere(source, options, keep)
  const expect = expectationOfReference(source, options)
  const { readCarried } = await import('../registry/open-carried.ts')
  return readCarried(source, expect, options, keep, { readBundle, unreadCandidate })
}
