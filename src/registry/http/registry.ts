// A repository of an OCI registry as a place for bundles. A list of tags does not say what they name, so each tag is looked up.
import type { Deadline, TimedReach } from '../../io/wait/deadline.ts'
import { RlpError } from '../../model/error.ts'
import type { Descriptor, RegistryPlace, StoredManifest } from '../../model/oci.ts'
import { own } from '../../model/own.ts'
import { INDEX_TYPE, MANIFEST_TYPE, MAX_MANIFEST_BYTES, readObject } from '../../oci/document.ts'
import { sha256Of } from '../../oci/manifest.ts'
import { DIGEST } from '../../oci/scheme.ts'
import {
  type Attached,
  checkedBytes,
  type OpenFrom,
  type Store,
  type StoreUse,
  type ToAttach,
} from '../store.ts'
import { downloaded, ranged, uploaded } from './blobs.ts'
import { Client, refusedAnswer } from './client.ts'
import { attachedIn, type ManifestPlace, makeFound, makeUnfound, pagesOf, typeOf } from './referrers.ts'

const MOST_TAG_PAGES = 100
const MOST_TAGS = 10_000
/** Without it registries deny that an OCI manifest exists. */
const ACCEPT = `${MANIFEST_TYPE}, ${INDEX_TYPE}`

export class RegistryStore implements Store {
  readonly label: string
  readonly place: RegistryPlace
  readonly #client: Client

  private constructor(label: string, place: RegistryPlace, client: Client) {
    this.label = label
    this.place = place
    this.#client = client
  }

  static open(place: RegistryPlace, label: string, reach: TimedReach, use: StoreUse): RegistryStore {
    return new RegistryStore(label, place, Client.open(place, reach, use))
  }

  under(deadline: Deadline): RegistryStore {
    return new RegistryStore(this.label, this.place, this.#client.under(deadline))
  }

  async manifest(which: string): Promise<StoredManifest | undefined> {
    const doing = `read the manifest ${which} at ${this.#client.host}`
    const { answer } = await this.#client.ask({
      method: 'GET',
      to: `manifests/${which}`,
      headers: { accept: ACCEPT },
      doing,
    })
    if (answer.statusCode === 404) {
      await this.#client.skip(answer)
      return undefined
    }
    if (answer.statusCode !== 200) throw await refusedAnswer(this.#client, answer, doing)
    const bytes = await this.#client.small(answer, MAX_MANIFEST_BYTES, doing)
    // Computed: a header could say anything.
    const digest = sha256Of(bytes)
    if (!DIGEST.test(which) || which === digest)
      return { bytes, digest, mediaType: typeOf(answer.headers['content-type']) }
    throw new RlpError('STORE', `Cannot ${doing}: its content is ${digest}`, {
      hint: 'What is stored there is damaged, or was changed',
    })
  }

  listed({ digest }: Descriptor): Promise<StoredManifest | undefined> {
    return this.manifest(digest)
  }

  async has({ digest, size }: Descriptor): Promise<boolean> {
    const doing = `look for ${digest} at ${this.#client.host}`
    const { answer } = await this.#client.ask({ method: 'HEAD', to: `blobs/${digest}`, doing })
    await this.#client.skip(answer)
    const { statusCode: status = 0, headers } = answer
    if (status === 404) return false
    if (status !== 200) throw await refusedAnswer(this.#client, answer, doing)
    return headers['content-length'] === undefined || headers['content-length'] === String(size)
  }

  read(blob: Descriptor): AsyncIterable<Uint8Array> {
    return checkedBytes(downloaded(this.#client, blob), blob, this.label)
  }

  part(blob: Descriptor, first: number, length: number): Promise<Uint8Array> {
    return ranged(this.#client, blob, first, length)
  }

  put(blob: Descriptor, open: OpenFrom): Promise<boolean> {
    return uploaded(this.#client, blob, open)
  }

  async putManifest({ bytes, digest, mediaType }: StoredManifest, tag: string | undefined): Promise<void> {
    const doing = `write the manifest ${tag ?? digest} at ${this.#client.host}`
    const body = { size: bytes.length, open: () => once(bytes) }
    const { answer } = await this.#client.ask({
      method: 'PUT',
      to: `manifests/${tag ?? digest}`,
      headers: { 'content-type': mediaType },
      body,
      doing,
    })
    if (answer.statusCode !== 201) throw await refusedAnswer(this.#client, answer, doing)
    await this.#client.skip(answer)
  }

  attachedTo(digest: string, most: number): Promise<Attached> {
    return attachedIn(this.#client, this, digest, most)
  }

  async attach(all: readonly ToAttach[], subject: string): Promise<void> {
    for (const { manifest } of all) await this.putManifest(manifest, undefined)
    const listed = all.map(one => one.listed)
    await makeFound(this.#client, this, listed, subject)
  }

  async detach(digest: string, subject: string): Promise<boolean> {
    await makeUnfound(this.#client, this, digest, subject)
    const doing = `delete the manifest ${digest} at ${this.#client.host}`
    const { answer } = await this.#client.ask({ method: 'DELETE', to: `manifests/${digest}`, doing })
    const { statusCode: status = 0 } = answer
    // 404: it was deleted meanwhile, or by a request that broke after it had arrived.
    if (![200, 202, 204, 404, 405].includes(status)) throw await refusedAnswer(this.#client, answer, doing)
    await this.#client.skip(answer)
    return status !== 405
  }

  async tagged(): Promise<ReadonlyMap<string, string>> {
    return taggedIn(await this.tags(), this)
  }

  async tags(): Promise<readonly string[]> {
    const doing = `list the tags of ${this.label}`
    const tags: string[] = []
    const pages = pagesOf(this.#client, 'tags/list?n=1000', { doing, most: MOST_TAG_PAGES })
    for (let page = await pages.next(); ; page = await pages.next()) {
      if (page.done) {
        if (page.value === 'all') return tags
        throw new RlpError('NOT_STORED', `Cannot ${doing}: there is no such repository`, {
          hint: 'Check host and repository',
        })
      }
      const read = readObject(page.value.bytes)
      const list = 'problem' in read ? undefined : (own(read.value, 'tags') ?? [])
      if (
        !Array.isArray(list) ||
        !list.every(tag => typeof tag === 'string' && tag.length <= 128) ||
        tags.length + list.length > MOST_TAGS
      )
        throw new RlpError('STORE', `Cannot ${doing}: the answer is no list of at most ${MOST_TAGS} tags`, {
          hint: 'Check that this is a registry',
        })
      tags.push(...list)
    }
  }

  /** Registries cannot lock, nor compare and swap: what was asked just before is all that is known. */
  changing<T>(work: () => Promise<T>): Promise<T> {
    return work()
  }

  async close(): Promise<void> {
    this.#client.close()
  }
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes
}

/** How many tags are looked up at the same time. */
const AT_ONCE = 8
/** A list of what is attached, which names no manifest itself. */
const FALLBACK_TAG = /^sha256-[0-9a-f]{64}$/

/** @returns one of the tags of each digest */
async function taggedIn(
  tags: readonly string[],
  place: Pick<ManifestPlace, 'manifest'>,
): Promise<ReadonlyMap<string, string>> {
  const waiting = tags.filter(tag => !FALLBACK_TAG.test(tag))
  const tagged = new Map<string, string>()
  const worker = async () => {
    for (let tag = waiting.pop(); tag !== undefined; tag = waiting.pop()) {
      const found = await place.manifest(tag)
      if (found !== undefined) tagged.set(found.digest, tag)
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, worker))
  return tagged
}
