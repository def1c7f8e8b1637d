// Takes one entry out of the list of what is attached, at the tag under which clients keep it where a registry has no referrers API.

import { RlpError } from '../../model/error.ts'
import { sha256Of } from '../../oci/digest.ts'
import { fallbackTag, withoutManifest } from '../../oci/index-document.ts'
import { INDEX_TYPE } from '../../oci/media-types.ts'
import type { Client } from './client.ts'
import { fallbackIndex, type ManifestPlace, MOST_TRIES } from './referrers.ts'

/** Writes the list at the fallback tag without one entry; every other stays as it is. It is read back, and written again where it has changed. */
export async function makeUnfound(
  client: Client,
  place: ManifestPlace,
  digest: string,
  subject: string,
): Promise<void> {
  const tag = fallbackTag(subject)
  const listNow = async () => {
    const index = await fallbackIndex(place, subject)
    return index === 'the subject' || !index?.manifests.some(one => one.digest === digest) ? undefined : index
  }
  for (let tries = 0; tries < MOST_TRIES; tries++) {
    const before = await listNow()
    if (before === undefined) return
    const bytes = withoutManifest(before, digest)
    await place.putManifest({ bytes, mediaType: INDEX_TYPE, digest: sha256Of(bytes) }, tag)
    await client.pause(0.05 * tries, `detach ${digest}`)
  }
  if ((await listNow()) === undefined) return
  throw new RlpError('STORE', `Cannot detach ${digest}: the list at ${client.host} keeps it`, {
    hint: 'Others may be writing to it. Run the command again',
  })
}
