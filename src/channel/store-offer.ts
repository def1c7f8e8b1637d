// A registry or a layout folder as what offers a channel. Each tag is asked for once, `channel` first: so whatever else a place says later belongs
// to one answer.
import { type ChannelLayer, HEARTBEAT_TITLE, RELEASE_TITLE, rootTitle } from '../format/channel/manifest.ts'
import { CHANNEL_LIMITS } from '../model/limits.ts'
import type { Store } from '../registry/store.ts'
import { layerBytes, readTag, type StoredTag } from './stored.ts'
import type { ChannelOffer } from './take-offer.ts'

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
  async *pinned(digest: string): AsyncGenerator<Uint8Array> {
    const roots = (this.#channel?.layers ?? []).filter(({ title }) => A_ROOT.test(title))
    const isLikely = ({ payload }: ChannelLayer) => payload === digest
    for (const root of [...roots.filter(isLikely), ...roots.filter(one => !isLikely(one))])
      yield await this.#statement(root)
  }

  async root(version: number): Promise<Uint8Array | undefined> {
    const layer = this.#layer(this.#channel, rootTitle(version))
    return layer && this.#statement(layer)
  }

  async heartbeat(): Promise<Uint8Array | undefined> {
    const layer = this.#layer(this.#heartbeat, HEARTBEAT_TITLE)
    return layer && this.#statement(layer)
  }

  async release(): Promise<Uint8Array | undefined> {
    const layer = this.#layer(this.#channel, RELEASE_TITLE)
    return layer && this.#statement(layer)
  }

  /** Only what has the digest and size that the release states is fetched. */
  async file(name: string, sha256: string, size: number): Promise<Uint8Array | undefined> {
    const layer = this.#layer(this.#channel, name)
    if (layer?.digest !== `sha256:${sha256}` || layer.size !== size) return undefined
    return layerBytes(this.#store, layer, CHANNEL_LIMITS.fileBytes)
  }

  #layer(stored: StoredTag | undefined, title: string): ChannelLayer | undefined {
    return stored?.layers.find(layer => layer.title === title)
  }

  #statement(layer: ChannelLayer): Promise<Uint8Array> {
    return layerBytes(this.#store, layer, CHANNEL_LIMITS.envelopeBytes)
  }
}
