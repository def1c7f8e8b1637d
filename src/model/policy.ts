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

/** Each family of capabilities, which is a key of `[capabilities]`, and the member of a policy that holds what it grants. */
export interface FamilyMembers {
  readonly fs: 'fs'
  readonly fs_ro: 'fsRo'
  readonly fs_rw: 'fsRw'
  readonly net: 'net'
  readonly time: 'time'
  readonly kb_read: 'kbRead'
  readonly kb_write: 'kbWrite'
  readonly secrets: 'secrets'
  readonly model: 'model'
  readonly exec: 'exec'
}

export type Family = keyof FamilyMembers

/** What a policy grants of a family. */
export type GrantOf<F extends Family> = Policy[FamilyMembers[F]]

/** A value in `[capabilities]`. */
export type PolicyValue =
  | boolean
  | readonly string[]
  | { readonly hosts: readonly string[]; readonly allow_http: true }
