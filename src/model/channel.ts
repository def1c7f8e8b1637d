// Trust channels: one policy for many hosts, in three statements that a registry or a folder carries (docs/channels.md).
/** Who may speak for a channel. */
export interface ChannelRoot {
  readonly kind: 'root'
  /** BLAKE3 of the payload of root 1, lower-case hex; undefined in root 1 itself. */
  readonly channel: string | undefined
  readonly version: number
  /** A higher one forgets the numbers before it. */
  readonly epoch: number
  /** A UTC second. */
  readonly expires: string
  /** Anchor strings, sorted, each once. */
  readonly keys: readonly string[]
  /** How many of `keys` have to sign a root or a release. */
  readonly threshold: number
  /** Anchor strings of the keys that sign heartbeats, sorted; none of `keys`. */
  readonly heartbeats: readonly string[]
  /** The longest time between `issued` and `expires` of a heartbeat. */
  readonly heartbeatSeconds: number
}

/** A file of a release. */
export interface ChannelFile {
  readonly name: string
  /** Lower-case hex. */
  readonly blake3: string
  readonly sha256: string
  readonly size: number
}

/** What a channel says: files, of which `trust-policy.toml` is one. */
export interface Release {
  readonly kind: 'release'
  readonly channel: string
  readonly epoch: number
  readonly version: number
  readonly expires: string
  /** Sorted by name. */
  readonly files: readonly ChannelFile[]
}

/** A statement by its version and the BLAKE3 of its payload, lower-case hex. */
export interface StatementName {
  readonly version: number
  readonly blake3: string
}

/** That a root and a release are still the newest. */
export interface Heartbeat {
  readonly kind: 'heartbeat'
  readonly channel: string
  readonly epoch: number
  readonly root: StatementName
  readonly release: StatementName
  readonly issued: string
  readonly expires: string
}

export type ChannelStatement = ChannelRoot | Release | Heartbeat

/** A statement with its signatures, none of which is checked yet. */
export interface SignedStatement<S extends ChannelStatement> {
  readonly statement: S
  /** The bytes that were signed. */
  readonly payload: Uint8Array
  /** BLAKE3 of the payload, lower-case hex. */
  readonly digest: string
  /** The whole envelope. */
  readonly envelope: Uint8Array
  readonly signatures: readonly { readonly keyid: string; readonly sig: Uint8Array }[]
}

/** Where a statement is in the order of a channel. */
export interface Reached {
  readonly epoch: number
  /** Of a root or a release its version; of a heartbeat `issued`, in seconds since 1970. */
  readonly at: number
  /** BLAKE3 of the payload, lower-case hex. */
  readonly blake3: string
}

/** Everything that this host knows of a channel that it follows: the content of its one file. */
export interface ChannelState {
  /** BLAKE3 of the payload of the root that a person pinned, lower-case hex. */
  readonly pinned: string
  /** `sha256:…` of the manifest of the last update. */
  readonly manifest: string | undefined
  /** When the last update ended well, a UTC second. */
  readonly updated: string | undefined
  /** The pinned one first, without a gap. */
  readonly roots: readonly SignedStatement<ChannelRoot>[]
  readonly release: SignedStatement<Release> | undefined
  readonly heartbeat: SignedStatement<Heartbeat> | undefined
  /** The files of the release, by name. */
  readonly files: ReadonlyMap<string, Uint8Array>
  readonly highest: { readonly release: Reached | undefined; readonly heartbeat: Reached | undefined }
}

/** The highest numbers of a channel that this user has seen, as a follower or as someone who publishes it. All of them were proven. */
export interface ChannelSeen {
  /** When this user saw the channel first, a UTC second. */
  readonly since: string
  readonly root: Reached | undefined
  readonly release: Reached | undefined
  readonly heartbeat: Reached | undefined
}

/** A line of channels.toml: a channel that this host follows. */
export interface FollowedChannel {
  /** A local name. */
  readonly name: string
  readonly reference: string
  /** BLAKE3 of the payload of a root, lower-case hex. */
  readonly root: string
}

/** What a report says of a channel whose policy was asked. */
export interface ChannelFacts {
  readonly name: string
  /** BLAKE3 of the payload of root 1; null while it is not known. */
  readonly channel: string | null
  readonly root: number | null
  readonly release: { readonly version: number; readonly epoch: number; readonly blake3: string } | null
  readonly issued: string | null
  /** The earliest end of heartbeat, release and root. */
  readonly until: string | null
}

/** Why a statement of a channel is refused (docs/spec/trust-channels.md, 20.5). */
export type RefusalCode =
  | 'malformed'
  | 'missing'
  | 'not_pinned'
  | 'other_channel'
  | 'wrong_epoch'
  | 'gap'
  | 'too_few_signatures'
  | 'older'
  | 'other_content'
  | 'other_root'
  | 'other_release'
  | 'lasts_too_long'
  | 'ahead'
  | 'ended'
  | 'too_many_roots'
  | 'wrong_bytes'
  | 'policy_unusable'
