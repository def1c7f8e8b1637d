// Finds what is attached to a manifest in a registry, adds to it and removes from it: by the referrers API, and by the tag under which
// clients keep the list if that API is missing. Both are asked, because what an answer says of the API proves nothing.
import { isObstacle, RlpError } from '../../model/error.ts'
import type { Descriptor, OciIndex, StoredManifest } from '../../model/oci.ts'
import {
  fallbackTag,
  INDEX_TYPE,
  lackingIn,
  MAX_MANIFEST_BYTES,
  readIndex,
  withManifests,
  withoutManifest,
} from '../../oci/document.ts'
import { sha256Of } from '../../oci/manifest.ts'
import { keepsNothing } from '../attach.ts'
import type { Attached } from '../store.ts'
import { type Client, refusedAnswer } from './client.ts'

const MOST_PAGES = 20
/** How many times the list is written at most, where others write to it at the same time. */
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
  let hasApi = false
  let hasTag = true
  const take = (index: OciIndex) => {
    for (const one of index.manifests) {
      if (found.has(one.digest)) continue
      if (found.size < most) found.set(one.digest, one)
      else incomplete ??= `more than ${most} things are attached`
    }
  }
  const tried = async (read: () => Promise<void>) => {
    try {
      await read()
    } catch (error) {
      if (!isObstacle(error)) throw error
      incomplete ??= error.message
    }
  }
  await tried(async () => {
    for await (const index of listed(client, digest)) {
      hasApi = true
      take(index)
      if (incomplete !== undefined) break
    }
  })
  await tried(async () => {
    const index = await fallbackIndex(place, digest)
    if (index === 'the subject') hasTag = false
    else if (index !== undefined) take(index)
  })
  return { manifests: [...found.values()], incomplete, keepsMore: hasApi || hasTag }
}

/** Nothing if the registry has no referrers API, which it is asked for once in a call. */
async function* listed(client: Client, digest: string): AsyncGenerator<OciIndex> {
  if (client.seen.lacksReferrers === true) return
  const doing = `read what is attached to ${digest} at ${client.host}`
  const pages = pagesOf(client, `referrers/${digest}`, { doing, most: MOST_PAGES })
  for (let page = await pages.next(); ; page = await pages.next()) {
    if (page.done) {
      if (page.value === 'not there') client.seen.lacksReferrers = true
      return
    }
    const read = readIndex(page.value.bytes, page.value.mediaType)
    if ('problem' in read) throw new RlpError('STORE', `Cannot ${doing}: ${read.problem}`)
    yield read.value
  }
}

/** Some registries read the tag as the digest of the subject. Then there is no list, and none can be stored. */
async function fallbackIndex(
  place: ManifestPlace,
  digest: string,
): Promise<OciIndex | 'the subject' | undefined> {
  const tag = fallbackTag(digest)
  const stored = await place.manifest(tag)
  if (stored === undefined) return undefined
  if (stored.digest === digest) return 'the subject'
  const read = readIndex(stored.bytes, stored.mediaType)
  if ('value' in read) return read.value
  throw new RlpError('STORE', `Cannot use the list at the tag ${tag}: ${read.problem}`, {
    hint: 'Ask who keeps the registry what was stored under this tag: it is not the list that belongs there',
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
  const [first] = unlisted
  if (first === undefined) return
  const listNow = async () => {
    const index = await fallbackIndex(place, subject)
    if (index !== 'the subject') return index
    throw keepsNothing(`attach ${first.digest} at ${client.host}`)
  }
  const tag = fallbackTag(subject)
  for (let tries = 0; tries < MOST_TRIES; tries++) {
    const before = await listNow()
    const [lacking] = lackingIn(before, unlisted)
    if (lacking === undefined) return
    const bytes = withManifests(before, unlisted)
    await place.putManifest({ bytes, mediaType: INDEX_TYPE, digest: sha256Of(bytes) }, tag)
    await client.pause(0.05 * tries, `attach ${lacking.digest}`)
  }
  const [lacking] = lackingIn(await listNow(), unlisted)
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

interface RegistryPage {
  readonly bytes: Uint8Array
  /** Without parameters, lower case. */
  readonly mediaType: string
}

/** @returns undefined if the first page is not there. After the last of `most` pages with more behind it: throws STORE. */
export async function* pagesOf(
  client: Client,
  to: string,
  { doing, most }: { readonly doing: string; readonly most: number },
): AsyncGenerator<RegistryPage, 'all' | 'not there'> {
  const seen = new Set<string>()
  let next: string | URL = to
  for (let count = 0; count < most; count++) {
    const { answer, url } = await client.ask({ method: 'GET', to: next, doing })
    if (answer.statusCode === 404 && count === 0) {
      answer.destroy()
      return 'not there'
    }
    if (answer.statusCode !== 200) throw await refusedAnswer(client, answer, doing)
    const bytes = await client.small(answer, MAX_MANIFEST_BYTES, doing)
    yield { bytes, mediaType: typeOf(answer.headers['content-type']) }
    const link = linkIn(answer.headers['link'])
    if (link === undefined) return 'all'
    const target = URL.canParse(link, url.href) ? new URL(link, url) : undefined
    if (target === undefined || !client.isOwn(target))
      throw wrong(doing, 'its list goes on at another server')
    if (seen.has(target.href)) throw wrong(doing, 'its list has no end')
    seen.add(target.href)
    next = target
  }
  throw wrong(doing, `its list has more than ${most} pages`)
}

export function typeOf(header: string | undefined): string {
  return (header ?? '').replace(/;.*$/s, '').trim().toLowerCase()
}

export function linkIn(header: string | string[] | undefined): string | undefined {
  return /^\s*<([^<>]{1,4096})>\s*;\s*rel="?next"?/i.exec(String(header ?? ''))?.[1]
}

function wrong(doing: string, seen: string): RlpError {
  return new RlpError('STORE', `Cannot ${doing}: ${seen}`, { hint: 'Ask who keeps the registry' })
}
