// policy.caps: what an agent is granted (systems reference §3, "policy.caps").

/** A network grant as written; `hosts` entries are `host` or `host:port`. */
export interface NetGrant {
  readonly hosts: readonly string[]
  /** Whether plain `http://` is granted for these hosts. */
  readonly allowHttp: boolean
}

/** The `[capabilities]` table, with everything left out read as "not granted". */
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
  /** Keys that name no family this build knows; left out where there are none. No rule covers them. */
  readonly unknown?: readonly string[]
}
