// A place that carries a channel, as an update asks it: a registry, a layout folder, or what is in memory.

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
