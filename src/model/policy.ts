// policy.caps: what an agent is granted.

/** A network grant as written; `hosts` entries are `host` or `host:port`. */
export interface NetGrant {
  readonly hosts: readonly string[]
  /** Whether plain `http://` is granted for these hosts. */
  readonly allowHttp: boolean
}

/** The `[capabilities]` table. Whatever is left out is not granted. */
export interface Policy {
  readonly fs: readonly string[]
  readonly fsRo: readonly string[]
  readonly fsRw: readonly string[]
  readonly net: NetGrant
  readonly time: boolean
  readonly model: boolean
  /** `true` is every domain, an empty list none. */
  readonly kbRead: true | readonly string[]
  readonly kbWrite: true | readonly string[]
  readonly secrets: readonly string[]
  /** `true` is every command; a list (our extension) names absolute commands. */
  readonly exec: true | readonly string[]
  /**
   * Keys of families that this build does not know; absent if there are none. No rule of a signer covers
   * them.
   */
  readonly unknown?: readonly string[]
}
