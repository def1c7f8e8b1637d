// The file of attestations beside a bundle, or one that is named → what is in it, or why that is unknown. A carrier can write to it, so
// no content of it is an error.
import { basename } from 'node:path'
import type { Attestations } from '../../model/attestation.ts'
import { isObstacle } from '../../model/error.ts'
import { isOciReference } from '../../oci/scheme.ts'
import { besideBundle } from '../../statement/beside-bundle.ts'
import { MOST_FILE_BYTES, readAttestations } from '../../statement/lines.ts'
import { entryOrNothing } from '../read/entry.ts'
import { readableAt, readFile } from '../read/read-file.ts'
import type { BundleInput } from './bundle-bytes.ts'

/** A path, the bytes of such a file, or false for none. */
export type AttestationsGiven = string | Uint8Array | false

/**
 * @param given in place of the file beside the bundle
 * @param follow false refuses a path that ends in a link
 * @returns undefined if no file was named and the bundle has none beside it
 * @throws RlpError CANCELLED
 */
export async function attestationsOf(
  source: BundleInput,
  given: AttestationsGiven | undefined,
  follow = true,
): Promise<Attestations | undefined> {
  if (given === false) return undefined
  if (given instanceof Uint8Array) return readAttestations('<attestations>', given)
  if (given !== undefined) return readNamed(given, follow)
  if (typeof source !== 'string' || isOciReference(source)) return undefined
  const path = besideBundle(source)
  return entryOrNothing(path) === undefined ? undefined : readNamed(path, follow)
}

async function readNamed(path: string, follow: boolean): Promise<Attestations> {
  const label = basename(path)
  try {
    readableAt(path, { follow, label })
    // One byte more than is read tells that there is more.
    const larger = () => new Uint8Array(MOST_FILE_BYTES + 1)
    const bytes = await readFile(path, { follow, label, most: MOST_FILE_BYTES, larger })
    return readAttestations(label, bytes)
  } catch (error) {
    if (!isObstacle(error)) throw error
    const problem = { why: 'io', message: error.message } as const
    return { label, envelopes: [], problem, keyless: { bundles: [], problem } }
  }
}
