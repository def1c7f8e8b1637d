// rlp.lock: what the agents of a deployment are, and what they may do (docs/lock.md).

/** The file beside a deployment. */
export const LOCK_FILE = 'rlp.lock'
export const LOCK_VERSION = 1

/** One agent as it was locked. Lists are sorted, and each member is there once. */
export interface LockedAgent {
  /** Where it comes from: a reference, or a path beginning with `/`, `./` or `../` and counted from the folder of the lock. */
  readonly source: string
  /** Which of the versions that are stored there is taken: `mailer@^1.2`; undefined where the source itself names one. */
  readonly expect?: string | undefined
  /** `sha256:…` of the manifest in a registry or a layout folder; undefined for other sources. */
  readonly oci: string | undefined
  readonly version: string
  /** BLAKE3 of manifest.toml, lower-case hex. */
  readonly identity: string
  /** Anchor strings; each of them has to count, and more may. */
  readonly signers: readonly string[]
  /** What policy.caps grants, as signed. */
  readonly caps: readonly string[]
  /** Tool id → BLAKE3 of its definition and its schemas. */
  readonly tools: ReadonlyMap<string, string>
}

export interface Lock {
  /** What the deployment is called: `rlp agent install` keeps it beside each agent that it installs by this lock. Undefined if it has no name. */
  readonly name?: string | undefined
  /** By `name` or `name@variant`. */
  readonly agents: ReadonlyMap<string, LockedAgent>
}

export interface LockProblem {
  readonly line: number
  /** Without a full stop. */
  readonly message: string
}

/** A lock that was read: its content, or why it decides nothing. */
export interface LockSource {
  /** Name of the file in messages. */
  readonly label: string
  /** The folder that relative sources count from. */
  readonly folder: string
  /** BLAKE3 of its bytes; undefined when they could not be read. */
  readonly digest: string | undefined
  /** Undefined if it is malformed, missing or cannot be relied upon. */
  readonly lock: Lock | undefined
  /** Why it decides nothing, with the line if there is one. */
  readonly problems: readonly string[]
  readonly hint?: string | undefined
}

/** What a root held of a lock when an install saw the newest content of the lock for the first time. */
export interface LockChange {
  /** Absolute. */
  readonly root: string
  /** BLAKE3 of the newest content. */
  readonly digest: string
  /** Agents that locks of this name had put there before. */
  readonly agents: readonly string[]
}
