// What is attached to a manifest in a registry: by the referrers API, and by the tag under which clients keep the list where that API is
// missing. Both are asked, because what an answer says of the API proves nothing.
import { sha256Of } from '../../format/oci/digest.ts'
import { fallbackTag, lackingIn, readIndex, withManifests } from '../../format/oci/index-document.ts'
import { INDEX_TYPE } from '../../format/oci/media-types.ts'
import { isObstacle, RlpError } from '../../model/error.ts'
import type { Descriptor, OciIndex, StoredManifest } from '../../model/oci.ts'
import type { Attached } from '../store.ts'
import type { Client } from './client.ts'
import { pagesOf } from './pages.ts'

const MOST_PAGES = 20
const MOST_TRIES = 5

/** What the referrers need of the repository. */
export interface ManifestPlace {
  manifest(which: string): Promise<StoredManifest | undefined>
  putManifest(manifest: StoredManifest, tag: string | undefined): Promise<void>
}

export async function attachedIn(
  client: Client,
  place: ManifestPlace,
  digest: string,
  most: number,
): Promise<Attached> {
  // Most are in both lists.
  const found = new Map<string, Descriptor>()
  let incomplete: string | undefined
  const take = (index: OciIndex) => {
    for (const one of index.manifests) {
      if (found.has(one.digest)) continue
      if (found.size < most) found.set(one.digest, one)
      else incomplete ??= `more than ${most} things are attached`
    }
  }
  for (const list of [listed(client, digest), fallback(place, digest)]) {
    try {
      for await (const index of list) {
        take(index)
        if (incomplete !== undefined) break
      }
    } catch (error) {
      if (!isObstacle(error)) throw error
      incomplete ??= error.message
    }
  }
  return { manifests: [...found.values()], incomplete }
}

async function* listed(client: Client, digest: string): AsyncGenerator<OciIndex> {
  const doing = `read what is attached to ${digest} at ${client.host}`
  for await (const { bytes, mediaType } of pagesOf(client, `referrers/${digest}`, {
    doing,
    most: MOST_PAGES,
  })) {
    const read = readIndex(bytes, mediaType)
    if ('problem' in read) throw new RlpError('STORE', `Cannot ${doing}: ${read.problem}`)
    yield read.value
  }
}

async function* fallback(place: ManifestPlace, digest: string): AsyncGenerator<OciIndex> {
  const index = await fallbackIndex(place, digest)
  if (index !== undefined) yield index
}

async function fallbackIndex(place: ManifestPlace, digest: string): Promise<OciIndex | undefined> {
  const tag = fallbackTag(digest)
  const stored = await place.manifest(tag)
  if (stored === undefined) return undefined
  const read = readIndex(stored.bytes, stored.mediaType)
  if ('value' in read) return read.value
  throw new RlpError('STORE', `Cannot use the list at the tag ${tag}: ${read.problem}`, {
    hint: 'Something else was stored under this tag. Remove it, or ask who keeps the registry',
  })
}

/** Makes sure that readers find attached manifests. Registries know no compare and swap: the list is read back, and written again. */
export async function makeFound(
  client: Client,
  place: ManifestPlace,
  attached: readonly Descriptor[],
  subject: string,
): Promise<void> {
  const unlisted = attached.length === 0 ? [] : await unlistedOf(client, attached, subject)
  if (unlisted.length === 0) return
  const tag = fallbackTag(subject)
  for (let tries = 0; tries < MOST_TRIES; tries++) {
    const before = await fallbackIndex(place, subject)
    const [lacking] = lackingIn(before, unlisted)
    if (lacking === undefined) return
    const bytes = withManifests(before, unlisted)
    await place.putManifest({ bytes, mediaType: INDEX_TYPE, digest: sha256Of(bytes) }, tag)
    await client.pause(0.05 * tries, `attach ${lacking.digest}`)
  }
  const [lacking] = lackingIn(await fallbackIndex(place, subject), unlisted)
  if (lacking === undefined) return
  throw new RlpError(
    'STORE',
    `Cannot attach ${lacking.digest}: the list at ${client.host} does not keep it`,
    { hint: 'Others may be writing to it. Run the command again' },
  )
}

/** What the referrers API does not list. */
async function unlistedOf(
  client: Client,
  attached: readonly Descriptor[],
  subject: string,
): Promise<readonly Descriptor[]> {
  let unlisted = attached
  try {
    const { deadline } = client
    const soon = deadline.within(deadline.times.attachedMs, 'what is attached')
    for await (const index of listed(client.under(soon), subject)) {
      unlisted = lackingIn(index, unlisted)
      if (unlisted.length === 0) break
    }
  } catch (error) {
    // An API that fails is one that is missing: then the tag counts.
    if (!isObstacle(error)) throw error
  }
  return unlisted
}
