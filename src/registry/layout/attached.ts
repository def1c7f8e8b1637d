// What index.json of a layout lists → what is attached to one manifest. Other manifests in the folder may say that they are; those with a
// tag are bundles.

import { isObstacle } from '../../model/error.ts'
import type { Descriptor, StoredManifest } from '../../model/oci.ts'
import { readStored } from '../../oci/manifest.ts'
import { MANIFEST_TYPE } from '../../oci/media-types.ts'
import type { Attached } from '../store.ts'
import { tagOf } from './tags.ts'

/** @param stored reads one of them */
export async function attachedInLayout(
  listed: readonly Descriptor[],
  stored: (one: Descriptor) => Promise<StoredManifest>,
  { digest, most, signal }: { readonly digest: string; readonly most: number; readonly signal: AbortSignal },
): Promise<Attached> {
  const manifests: Descriptor[] = []
  let incomplete: string | undefined
  const untagged = listed.filter(one => tagOf(one) === undefined && one.mediaType === MANIFEST_TYPE)
  for (const [at, one] of untagged.entries()) {
    if (at >= most)
      return { manifests, keepsMore: true, incomplete: `it lists more than ${most} manifests without a tag` }
    if (signal.aborted) return { manifests, keepsMore: true, incomplete: 'the time for it was over' }
    const subject = await stored(one).then(subjectOf).catch(whyUnread)
    if (typeof subject === 'string') incomplete ??= subject
    else if (subject?.digest === digest) manifests.push(one)
  }
  return { manifests, incomplete, keepsMore: true }
}

/** One that cannot be read may be the one that matters; the others are read all the same. */
function whyUnread(error: unknown): string {
  if (!isObstacle(error)) throw error
  return error.message
}

function subjectOf({ bytes, mediaType }: StoredManifest): Descriptor | undefined {
  const read = readStored(bytes, mediaType)
  return 'value' in read ? read.value.subject : undefined
}
