// Reads and writes a channel in a registry or a layout folder. What comes from there is checked by the caller, and not relied upon here.
// Each tag is read once, `channel` first, so that all that an update reads belongs to one state of the place.
import {
  type ChannelBlob,
  type ChannelLayer,
  type ChannelManifest,
  type ChannelTag,
  HEARTBEAT_TITLE,
  RELEASE_TITLE,
  readChannelManifest,
  rootTitle,
  writeChannelManifest,
} from '../channel-file/manifest.ts'
import { RlpError } from '../model/error.ts'
import { byteLimit, CHANNEL_LIMITS } from '../model/limits.ts'
import { EMPTY_TYPE, MANIFEST_TYPE } from '../oci/document.ts'
import { EMPTY_CONFIG, sha256Of } from '../oci/manifest.ts'
import { OtherBytes, type Store } from '../registry/store.ts'

const A_ROOT = /^_[1-9][0-9]*\.root\.json$/

export class StoreOffer implements ChannelOffer {
  readonly #store: Store
  readonly #channel: StoredTag | undefined
  readonly #heartbeat: StoredTag | undefined

  private constructor(store: Store, channel: StoredTag | undefined, heartbeat: StoredTag | undefined) {
    this.#store = store
    this.#channel = channel
    this.#heartbeat = heartbeat
  }

  /** Two requests, whatever is there. @throws RlpError STORE for what is no channel; as a store says */
  static async at(store: Store): Promise<StoreOffer> {
    const channel = await readTag(store, 'channel')
    const heartbeat = await readTag(store, 'heartbeat')
    return new StoreOffer(store, channel, heartbeat)
  }

  /** `sha256:…` of the manifest under the tag `channel`; undefined if nothing is there. */
  get manifest(): string | undefined {
    return this.#channel?.digest
  }

  /** Those that say of themselves that they are the pinned one come first. */
  async *pinned(digest: string): AsyncGenerator<Offered> {
    const roots = (this.#channel?.layers ?? []).filter(({ title }) => A_ROOT.test(title))
    const isLikely = ({ payload }: ChannelLayer) => payload === digest
    for (const root of [...roots.filter(isLikely), ...roots.filter(one => !isLikely(one))])
      yield await this.#statement(root)
  }

  async root(version: number): Promise<Offered> {
    return this.#statement(this.#layer(this.#channel, rootTitle(version)))
  }

  async heartbeat(): Promise<Offered> {
    return this.#statement(this.#layer(this.#heartbeat, HEARTBEAT_TITLE))
  }

  async release(): Promise<Offered> {
    return this.#statement(this.#layer(this.#channel, RELEASE_TITLE))
  }

  /** Only what has the digest and size that the release states is fetched. */
  async file(name: string, sha256: string, size: number): Promise<Offered> {
    const layer = this.#layer(this.#channel, name)
    if (layer === undefined) return undefined
    if (layer.digest !== `sha256:${sha256}` || layer.size !== size)
      return { problem: `it is listed with ${layer.size} bytes and ${layer.digest}` }
    return offeredBytes(this.#store, layer, CHANNEL_LIMITS.fileBytes)
  }

  #layer(stored: StoredTag | undefined, title: string): ChannelLayer | undefined {
    return stored?.layers.find(layer => layer.title === title)
  }

  async #statement(layer: ChannelLayer | undefined): Promise<Offered> {
    return layer && offeredBytes(this.#store, layer, CHANNEL_LIMITS.envelopeBytes)
  }
}

/**
 * A statement or a file at a place: its bytes; undefined if the place does not offer it; or why the place has something else there, as a
 * clause.
 */
export type Offered = Uint8Array | { readonly problem: string } | undefined

/** Reads a channel in a folder, a layout or a registry. If that cannot be read, its methods throw. */
export interface ChannelOffer {
  /** Envelopes of roots that may be the pinned one, the likeliest first. */
  pinned(digest: string): AsyncIterable<Offered>
  root(version: number): Promise<Offered>
  heartbeat(): Promise<Offered>
  release(): Promise<Offered>
  /** @param size in bytes. A file of another size is not fetched */
  file(name: string, sha256: string, size: number): Promise<Offered>
}

export interface StoredTag extends ChannelManifest {
  /** `sha256:…` of the manifest. */
  readonly digest: string
}

/** Undefined if there is no such tag. @throws RlpError STORE for another manifest; as a store says */
export async function readTag(store: Store, tag: ChannelTag): Promise<StoredTag | undefined> {
  const stored = await store.manifest(tag)
  if (stored === undefined) return undefined
  const read = readChannelManifest(stored.bytes, stored.mediaType, tag)
  if (!('problem' in read)) return { digest: stored.digest, ...read.value }
  throw new RlpError(
    'STORE',
    `Cannot read the channel in "${store.label}": its tag ${tag}: ${read.problem}`,
    {
      hint: 'Check the reference: a trust channel has a repository or a folder of its own',
    },
  )
}

/**
 * The bytes of a layer, with its digest and size.
 * @param most in bytes; nothing of a larger one is fetched
 * @throws RlpError STORE; as a store says
 */
export async function layerBytes(store: Store, layer: ChannelLayer, most: number): Promise<Uint8Array> {
  const { title, mediaType, digest, size, data } = layer
  if (size > most)
    throw new RlpError(
      'STORE',
      `Cannot read ${title} in "${store.label}": it has ${size} bytes, and at most ${byteLimit(most)} are read`,
      { hint: 'Ask the people who publish this channel' },
    )
  if (data !== undefined) return data
  const chunks: Uint8Array[] = []
  for await (const chunk of store.read({ mediaType, digest, size })) chunks.push(Uint8Array.from(chunk))
  return new Uint8Array(Buffer.concat(chunks))
}

/**
 * The bytes of a layer for a host, which has to say what is wrong with a channel. What keeps it from reading at all is thrown.
 * @param most in bytes; nothing of a larger one is fetched
 * @returns undefined if they are not there
 * @throws RlpError as a store says
 */
async function offeredBytes(store: Store, layer: ChannelLayer, most: number): Promise<Offered> {
  if (layer.size > most)
    return { problem: `it has ${layer.size} bytes, and at most ${byteLimit(most)} are read` }
  try {
    return await layerBytes(store, layer, most)
  } catch (error) {
    if (error instanceof OtherBytes) return { problem: error.seen }
    if (error instanceof RlpError && error.code === 'NOT_STORED') return undefined
    throw error
  }
}

/** Stores blobs and a manifest of them under a tag. What is there is not sent again. @returns whether anything was sent */
export async function writeTag(
  store: Store,
  tag: ChannelTag,
  name: string | undefined,
  blobs: readonly ChannelBlob[],
): Promise<boolean> {
  const bytes = writeChannelManifest(tag, { name, layers: blobs.map(({ layer }) => layer) })
  const digest = sha256Of(bytes)
  const there = await store.manifest(tag)
  if (there?.digest === digest) return false
  const empty = { mediaType: EMPTY_TYPE, digest: sha256Of(EMPTY_CONFIG), size: EMPTY_CONFIG.length }
  const all = [{ ...empty, bytes: EMPTY_CONFIG }, ...blobs.map(({ layer, bytes }) => ({ ...layer, bytes }))]
  for (const { mediaType, digest, size, bytes } of all) {
    const blob = { mediaType, digest, size }
    if (await store.has(blob)) continue
    await store.put(blob, async function* (from) {
      if (from < bytes.length) yield bytes.subarray(from)
    })
  }
  await store.putManifest({ bytes, mediaType: MANIFEST_TYPE, digest }, tag)
  return true
}
