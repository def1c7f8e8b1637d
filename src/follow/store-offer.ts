// A registry or a layout folder as what offers a channel. Each tag is asked for once, `channel` first: so whatever else a place says later belongs
// to one answer.
import { type ChannelLayer, HEARTBEAT_TITLE, RELEASE_TITLE, rootTitle } from '../channel-file/manifest.ts'
import { CHANNEL_LIMITS } from '../model/limits.ts'
import type { Store } from '../registry/store.ts'
import type { ChannelOffer, Offered } from './channel-offer.ts'
import { offeredBytes, readTag, type StoredTag } from './stored.ts'

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
