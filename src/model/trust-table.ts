// A trust policy as an object: the tables of trust-policy.toml, by the same names.

/** One signer: an anchor string, `ed25519:<base64>`, or a table with one or more of them. */
export type AnchorTable =
  | string
  | ({ readonly key: string } & AnchorLimits)
  | ({ readonly keys: readonly string[] } & AnchorLimits)

interface AnchorLimits {
  readonly allow_dev?: boolean
  /** What its signatures are for; bundles where it is left out. */
  readonly use?: readonly ('sign' | 'attest')[]
}

/** What an anchor may grant. */
export interface RuleTable {
  /** Capabilities such as `model` or `kb_read:drafts`; `any` for all families but net and exec. */
  readonly allow_caps?: 'any' | readonly string[]
  /** Hosts, `host` or `host:port`. */
  readonly allow_net?: 'any' | readonly string[]
  readonly allow_exec?: boolean
  /** Agents that it may vouch for, `name` or `name@variant`; all where it is left out. */
  readonly agents?: readonly string[]
}

/** A statement that has to come with a bundle. */
export interface RequiredAttestationTable {
  /** Its `predicateType`: `https://slsa.dev/provenance/v1`. */
  readonly type: string
  /** Names of anchors with the use `attest`: one of them must have signed it. */
  readonly by: readonly string[]
  /** Of a provenance: the id of its builder. */
  readonly builder?: string
  /** Of a provenance: the source that was built. */
  readonly source?: string
}

/**
 * A trust policy in memory, as docs/spec/trust-policy.md describes the file. It is closed: a key that is not known makes the whole policy unusable, and
 * with a policy that cannot be used every verdict is `indeterminate`.
 *
 * @example
 * const policy: TrustPolicyTable = {
 *   anchors: { release: 'ed25519:…' },
 *   rules: { release: { allow_caps: 'any', allow_net: [], allow_exec: false, agents: ['mailer'] } },
 * }
 */
export interface TrustPolicyTable {
  /** A UTC second such as `2027-11-20T00:00:00Z`, after which the policy decides nothing. */
  readonly valid_until?: string
  /** By a name of your choice. */
  readonly anchors?: { readonly [name: string]: AnchorTable }
  /** By the name of an anchor. In a list each rule names its agents, and no agent is named twice. */
  readonly rules?: { readonly [anchor: string]: RuleTable | readonly RuleTable[] }
  /** Every bundle needs these anchors, and signatures of as many distinct anchors. */
  readonly require?: {
    readonly anchors?: readonly string[]
    readonly signatures?: number
    /** Statements that have to come with every bundle (docs/evidence.md). */
    readonly attestations?: readonly RequiredAttestationTable[]
  }
  /** By `ed25519:…` for a key and `blake3:…` for the manifest of a bundle. */
  readonly revoked?: {
    readonly [what: string]: {
      readonly since?: string
      readonly reason?: string
      readonly replaced_by?: string
    }
  }
}
